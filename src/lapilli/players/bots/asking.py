"""Asks all players that must answer in a turn, and collects their answers."""

from __future__ import annotations

from collections.abc import Sequence

from lapilli.players.bots.answer import Answer
from lapilli.players.bots.process import Prompt, ask
from lapilli.players.player import Player, Question


def ask_players(players: Sequence[Player], questions: Sequence[Question]) -> dict[int, Answer]:
    """Asks each player that has a question, and returns the answers by player number.

    Bots, which are connected by pipes, are asked at the same time, each with a clock of its own. After them, all other
    players are asked one by one. They come last, because they may compute their replies in this process, which must not
    be busy while it measures the time of a bot.

    Args:
        players: all players of the match, in the order of their player numbers.
        questions: one question for each player that must answer in this turn.
    """
    if len(questions) == 1:
        player = questions[0].player
        return {player: players[player].answer(questions[0])}
    piped = [question for question in questions if players[question.player].dialogue]
    prompts = [Prompt(players[question.player], question.text, question.lines, *question.limits) for question in piped]
    answers = {question.player: answer for question, answer in zip(piped, ask(prompts), strict=True)}
    for question in questions:
        if question.player not in answers:
            answers[question.player] = players[question.player].answer(question)
    return answers
