"""Messages to a table's pages have the fields that the page's script declares."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

import lapilli
from lapilli.site.live.messages import Refusal, ShownDraft, TableStatus
from lapilli.site.live.table.audience import text_of

SCRIPT = Path(lapilli.__file__).parent / "site" / "static" / "table.js"


def declared(name: str) -> dict[str, bool]:
    """The fields of a type in the script, and whether each may be missing."""
    pattern = rf"@typedef \{{\{{((?:(?!@typedef).)*?)\}}\}} {name}$"
    found = re.search(pattern, SCRIPT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    flat = re.sub(r"\{[^{}]*\}", "", found[1])
    return {field: bool(may_miss) for field, may_miss in re.findall(r"(\w+)(\??):", flat)}


@pytest.mark.parametrize(("message", "name"), [(TableStatus, "Now"), (ShownDraft, "Draft")])
def test_fields_are_those_of_the_script(message: type[msgspec.Struct], name: str) -> None:
    fields = {field.encode_name: not field.required for field in msgspec.structs.fields(message)}
    assert fields == declared(name)


def test_a_message_has_its_type() -> None:
    assert text_of(Refusal(text="no")) == '{"type":"refused","text":"no"}'
