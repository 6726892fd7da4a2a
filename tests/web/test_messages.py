"""The pages' scripts know the messages to and from a table's pages from types that are made of the server's."""

from __future__ import annotations

import msgspec

from lapilli.site.live.messages.to_page import Refusal, TableStatus
from lapilli.site.live.table.audience import text_of
from web.message_types import FILE, declarations, script_type


def test_the_pages_types_are_those_of_the_server() -> None:
    assert FILE.read_text(encoding="utf-8") == declarations(), "run `python tests/web/message_types.py`"


def test_types_of_the_script() -> None:
    assert script_type(list[int | None]) == "(number | null)[]"
    assert script_type(dict[int, tuple[str, bool]]) == "Record<string, [string, boolean]>"
    names = {field.name: field.encode_name for field in msgspec.structs.fields(TableStatus)}
    assert names["took_turns"] == "tookTurns"


def test_a_message_has_its_type() -> None:
    assert text_of(Refusal(text="no")) == '{"type":"refused","text":"no"}'
