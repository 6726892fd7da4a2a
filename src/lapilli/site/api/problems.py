"""Error responses of the API, in the format of RFC 9457."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from lapilli.core.errors import LapilliError
from lapilli.site.http.errors import headers_of, message_for_visitors, status_of

TYPE = "application/problem+json"


class Refused(HTTPException):
    """Error response to a program's request.

    Args:
        status: HTTP status.
        detail: the error message, one line.
        headers: additional headers of the response.
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, dict(headers or {}))


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Returns a response that describes an error in the format of RFC 9457.

    Args:
        status: HTTP status.
        detail: the error message, one line.
        headers: additional headers of the response.
    """
    data = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(data, status, dict(headers or {}), TYPE)


def add_problem_handlers(api: FastAPI) -> None:
    """Adds exception handlers that report all errors of the API in the format of RFC 9457."""

    @api.exception_handler(LapilliError)
    async def refused(request: Request, error: LapilliError) -> JSONResponse:
        return problem(status_of(error, 409), message_for_visitors(error), headers_of(error))

    @api.exception_handler(HTTPException)
    async def failed(request: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, str(error.detail), error.headers)

    @api.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> JSONResponse:
        found = [f"{'.'.join(map(str, one['loc'][1:])) or 'the body'}: {one['msg']}" for one in error.errors()[:5]]
        return problem(422, "; ".join(found))
