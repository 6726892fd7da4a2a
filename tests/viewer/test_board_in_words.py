"""The description of a position in words, in a real Chromium."""

from __future__ import annotations

import pytest

from viewer.boards import Boards

DESCRIBED = """async (score) => {
    const {wordsOf} = await import('./player/text/words.js');
    const {Picture} = await import('./board/pictures.js');
    const plate = [score, 'points', [['to move', '', 'to-move']], []];
    const picture = Object.assign(new Picture(), {panels: {headline: '', plates: [plate], supplies: []}});
    const [player] = wordsOf({players: [{name: 'Ada', side: 'Ada'}]}, picture);
    return [...player.querySelectorAll('li')].map((item) => item.textContent);
}"""


@pytest.mark.parametrize(
    ("score", "lines"), [(0, ["0 points", "to move"]), (None, ["to move"])], ids=["score", "no-score"]
)
def test_only_a_game_with_points_has_a_score_in_words(boards: Boards, score: int | None, lines: list[str]) -> None:
    assert boards().evaluate(DESCRIBED, score) == lines
