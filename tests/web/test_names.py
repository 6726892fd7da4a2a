"""What people may be called."""

from __future__ import annotations

import pytest

from lapilli.core.errors import LapilliError
from lapilli.site.people.identity.names import GUEST, account_name, folded, marked, name_of


@pytest.mark.parametrize("name", ["Ada", "ada_lovelace-1815", "\uff21da", "a1", "A" * 20])
def test_names_of_accounts(name: str) -> None:
    assert account_name(name).isascii()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "A",
        "1st",
        "_x",
        "A" * 21,
        "Аda",
        "Ada Lovelace",
        "Ada\u200b",
        "Ada\u202e",
        "adа",
        "Jörg",
        "<b>",
        "🦄🦄",
        "a\x00b",
        "deleted",
        "DELETED",
        "Guest",
        "0wner",
        "adm1n",
        "lapiIli",
        "si-te",
    ],
)
def test_names_that_no_account_has(name: str) -> None:
    with pytest.raises(LapilliError):
        account_name(name)


def test_names_that_look_alike_are_the_same() -> None:
    for names in (("Ada", "aDA", "A-d_a", "\uff21da"), ("Bill", "B1ll", "BiIl"), ("Oslo", "0sl0", "o5lo")):
        assert len({folded(name) for name in names}) == 1, names
    assert len({folded(name) for name in ("Ada", "Adam", "Bda", "Eda")}) == 4


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Ada", "Ada"),
        ("  Jörg  Müller\n", "Jörg  Müller"),
        ("太郎", "太郎"),
        ("🦄", "🦄"),
        ("<b>Ada</b>", "<b>Ada</b>"),
        ("", GUEST),
        ("\u200b\u2060\ufeff", GUEST),
        ("\u3164\u115f", GUEST),
        ("Ada\u202egnihton\u202c", "Adagnihton"),
        ("\u2066Ada\u2069", "Ada"),
        ("A\x00\x07d\x1b[31ma", "Ad[31ma"),
        ("Z" + "\u0310" * 40 + "a", "Z\u0310\u0310a"),
        ("x" * 100, "x" * 29 + "…"),
        ("\ud800", GUEST),
    ],
)
def test_a_guests_name_reads_as_it_is_written(said: str, kept: str) -> None:
    assert name_of(said) == kept
    assert name_of(kept) == kept


def test_no_guest_passes_for_a_member() -> None:
    assert marked("Ada") == "Ada (guest)"
    assert marked(GUEST) == GUEST
    assert len(marked("x" * 30)) <= 30
    assert marked("x" * 30).endswith(" (guest)")
