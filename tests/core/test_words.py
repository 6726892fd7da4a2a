"""Numbers with nouns, and lists of names."""

from __future__ import annotations

import pytest

from lapilli.core.picture.words import listed, plural, quantity


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "tile", "0 tiles"),
        (1, "tile", "1 tile"),
        (2, "hero", "2 heroes"),
        (1, "match", "1 match"),
        (12, "match", "12 matches"),
    ],
)
def test_a_noun_has_the_form_that_its_number_needs(number: int, noun: str, words: str) -> None:
    assert quantity(number, noun) == words
    assert plural(number, noun) == words.split()[1]


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [listed(names) for names in ([], ["N1"], ["N1", "N2"], ["N1", "N2", "N3"])] == [
        "",
        "N1",
        "N1 and N2",
        "N1, N2 and N3",
    ]
    assert listed(["2", "3", "4"], "or") == "2, 3 or 4"
