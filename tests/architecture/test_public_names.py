"""Names that others build on change only knowingly."""

from __future__ import annotations

from architecture.public_names import FILE, public_names


def test_public_names_are_those_of_the_list() -> None:
    known = FILE.read_text(encoding="utf-8").splitlines()
    now = list(public_names())
    gone, new = sorted({*known} - {*now}), sorted({*now} - {*known})
    assert not gone, f"gone: {gone}; if that is meant: python tests/architecture/public_names.py"
    assert not new, f"new: {new}; list them: python tests/architecture/public_names.py"
    assert len(now) > 300
