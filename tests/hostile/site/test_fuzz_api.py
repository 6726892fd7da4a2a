"""Schemathesis asks the API whatever its own description allows, and what it does not.

LAPILLI_FUZZ_SECONDS: how long all fuzzers take together (45 by default; this one takes a third of that).
LAPILLI_FUZZ_SEED: what they begin with; try others, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, cycle
from random import Random
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from lapilli.games import names
from lapilli.site.api.callers import Scope, new_token
from lapilli.store import Store
from web.client import PublicSite, Visitor
from web.fuzzing import SECONDS, SEED, Steady
from web.pressing import Request, ask, status_of
from web.writing import Author

FEWEST = 12
"""How often each operation is asked for at least."""
TOKENS = 18
"""Each may ask 20 times a second."""
_READ = 65_536
"""Bytes that are read of an answer: streams do not end."""


class Api:
    """The API of a site, and things that are really there."""

    def __init__(self, site: PublicSite, tokens: list[str], real: dict[str, list[str]]) -> None:
        self.site, self.real, self._tokens = site, real, cycle(tokens)
        self.schema = schemathesis.openapi.from_url(f"{site.url}/api/v1/openapi.json")
        self._session = requests.Session()
        self._session.trust_env = False
        self.statuses: dict[int, int] = {}

    def send(self, case: Any, has_token: bool) -> int:
        """The status of what is answered; a stream is read for a moment."""
        given = case.as_transport_kwargs(base_url=f"{self.site.url}/api/v1")
        headers = dict(given.pop("headers", None) or {})
        headers.pop("Authorization", None)
        if has_token:
            headers["Authorization"] = f"Bearer {next(self._tokens)}"
        try:
            with self._session.request(**given, headers=headers, stream=True, timeout=(5, 0.3)) as answer:
                status = answer.status_code
                next(answer.iter_content(_READ), b"")
        except (requests.exceptions.ConnectionError, requests.exceptions.ReadTimeout):
            status = 0 if "/stream" not in given["url"] and "/events" not in given["url"] else 200
        except (requests.exceptions.InvalidHeader, requests.exceptions.InvalidURL, ValueError):
            return 400  # it could not be sent
        self.statuses[status] = self.statuses.get(status, 0) + 1
        return status


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    site = PublicSite(tmp_path_factory.mktemp("fuzz") / "site.db", "--registration", "open")
    site.start()
    with Visitor(site) as member:
        assert member.join("Grace").status_code == 303
        tables = [member.lay(name, opponent1="person").removeprefix("/t/") for name in names()]
        author = Author(member, "fuzzed")
        trial = author.begin("play", 1)
    tokens = [new_token() for _ in range(TOKENS)]
    with Store.open(site.store) as store:
        owner = next(one.id for one in store.site.people.listed() if one.name == "Grace")
        for number, token in enumerate(tokens):
            store.site.tokens.add(token, f"fuzz{number}", owner, f"fuzz {number}", list(Scope))
    real: dict[str, list[str]] = {
        "table_id": tables,
        "bot_id": [author.path.removeprefix("/bots/")],
        "trial_id": [trial],
        "game": list(names()),
        "language": ["python", "cpp"],
        "opponents": ["random", "anybody", "person", "bot:fuzz 1", "member:Grace", "level1"],
    }
    yield Api(site, tokens, real)
    code, errors = site.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


def _made_real(case: Any, real: dict[str, list[str]], chance: Random) -> None:
    """Puts what is really there into some of its places, or nothing would get past the first look."""
    for held in (case.path_parameters, case.body):
        if isinstance(held, dict):
            for key in sorted(set(held) & set(real)):
                chosen = chance.choice(real[key])
                held[key] = [chosen] if key == "opponents" else chosen


class _TimeIsUp(Exception):
    """Hypothesis has no limit of its own."""


def _press(api: Api, operation: Any, seconds: float) -> list[str]:
    """Asks for one operation as long as that, and a few times at least; what failed."""
    end, failed, number = time.monotonic() + seconds, list[str](), count(1)
    fitting = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    unfit = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)

    @seed(SEED)
    @settings(
        max_examples=10_000,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=fitting | unfit,
        is_real=st.booleans(),
        has_token=st.integers(0, 9),
        chance=st.integers(0, 2**32).map(Random),
    )
    def press(case: Any, is_real: bool, has_token: int, chance: Random) -> None:
        if next(number) > FEWEST and time.monotonic() > end:
            raise _TimeIsUp
        if is_real:
            _made_real(case, api.real, chance)
        status = api.send(case, has_token > 0)
        if not 0 < status < 500:
            failed.append(f"{status}: {case.method} {case.path} {case.path_parameters} {case.query} {case.body!r}")

    with suppress(_TimeIsUp):
        press()
    return failed


def test_whatever_programs_ask_the_site_stays_well(api: Api) -> None:
    assert api.site.process is not None
    steady, failed = Steady(api.site.process.pid), list[str]()
    operations = [found.ok() for found in api.schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) >= 15, "all of them are described"
    for operation in operations:
        failed += _press(api, operation, SECONDS / 3 / len(operations))
        steady.look()
    told = f"LAPILLI_FUZZ_SEED={SEED}, {api.statuses}"
    print(told)
    assert not failed, "\n".join([told, *failed[:10]])
    assert status_of(ask(api.site.port, Request("/healthz", method="GET"))) == 200, told
    assert sum(api.statuses.values()) >= 10 * len(operations), told
    assert {200, 401, 404, 422} <= set(api.statuses), told
    steady.check(told)
