"""The actions of people and programs at a table: take or decline a seat, choose and play a turn, get a hint, take back,
resign, offer a draw, and request a rematch.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.players.engines.searches import BEST
from lapilli.site.live.messages import from_page, to_page
from lapilli.site.live.services import new_id
from lapilli.site.live.table.audience import Watcher
from lapilli.site.live.table.live_table import LiveTable
from lapilli.site.live.table.plan import TablePlan
from lapilli.site.live.table.planning import Planning, can_plan
from lapilli.site.live.table.seats import answer_draw, decline_seat, give_up, take_seat
from lapilli.site.live.upkeep.day_matches import check_rematch


async def sit(table: LiveTable, key: str, holder: str, name: str) -> None:
    """Assigns an open seat to a person or program with this name.

    `key`: secret in the link to the seat. `holder`: string that identifies the person or program, see `Seat.holder`.

    Raises:
        LapilliError: no seat has this key, the seat is taken, or the holder has another seat at this table.
    """
    async with table.lock:
        await table.amend(lambda plan: take_seat(plan, key, holder, name))
        await table.show_all()


async def decline(table: LiveTable, bot: str, member: str) -> None:
    """Declines an invitation: removes the reservations of seats for a program or a member.

    Args:
        table: the table.
        bot: name of the program; "" for none.
        member: string that identifies the member, see `Seat.holder`; "" for none.

    Raises:
        LapilliError: no seat is reserved for the program or the member.
    """
    async with table.lock:
        await table.amend(lambda plan: decline_seat(plan, bot, member))
        await table.go_on()


async def act(table: LiveTable, watcher: Watcher, message: from_page.Message) -> None:
    """Carries out a message from a table's page, such as a resignation.

    Args:
        table: the table.
        watcher: the page that sent the message.
        message: the message.

    Raises:
        LapilliError: the sender may not do this now; nothing was changed.
    """
    if watcher.suspension and not isinstance(message, from_page.Resign):
        raise LapilliError(watcher.suspension)
    if isinstance(message, from_page.Say):
        await table.chat.say(watcher, table.plan, message.text)
        async with table.lock:
            await table.chat.read_new(table.audience, table.plan)
        return
    if isinstance(message, from_page.Report):
        await table.chat.report(watcher, table.plan, message.line)
        return
    async with table.lock:
        player = _player_of(table, watcher.holder, isinstance(message, from_page.Rematch))
        if isinstance(message, from_page.Rematch):
            await _rematch(table)
        elif isinstance(message, from_page.Resign):
            out, turn = table.match.out, table.match.turn
            await table.amend(lambda plan: give_up(plan, player, out, turn))
            await table.go_on()
        elif isinstance(message, from_page.Draw):
            await _draw(table, player, message.agrees)
        elif isinstance(message, from_page.TakeBack):
            await _take_back(table, player)
        elif isinstance(message, from_page.PlanAhead):
            _plan(table, player, message)
        elif isinstance(message, from_page.Unplan):
            await table.turn_plans.remove(player, message.reply)
            table.pages.show_status(player)
        else:
            await _change_draft(table, player, message)


async def act_without_page(table: LiveTable, holder: str, message: from_page.Resign | from_page.Draw) -> None:
    """Carries out a message of a program that uses the API.

    `holder`: string that identifies the program, see `Seat.holder`.

    Raises:
        LapilliError: the program may not do this now; nothing was changed.
    """
    await act(table, Watcher(holder), message)


async def play_reply(table: LiveTable, holder: str, turn: int, reply: str) -> None:
    """Plays a bot's reply exactly as the bot wrote it. A reply that the rules refuse is the bot's fault.

    `holder`: string that identifies the bot, a program that uses the API, see `Seat.holder`.

    Raises:
        LapilliError: the match is not at this turn, the holder has no seat, or the holder need not answer now.
    """
    async with table.lock:
        player = _player_of(table, holder)
        if turn != table.match.turn or player not in table.match.asked:
            raise IllegalAction("that turn is over" if turn <= table.match.turn else "that turn is still to come")
        await table.give(player, reply=reply)


def _player_of(table: LiveTable, holder: str, afterwards: bool = False) -> int:
    """Returns the player number of a seat's holder, if the holder may act at the table now.

    Args:
        table: the table.
        holder: string that identifies the holder, see `Seat.holder`.
        afterwards: whether the action is also allowed before all seats are taken and after the match.

    Raises:
        LapilliError: the holder has no seat at the table, or may not act now.
    """
    player = table.plan.seat_of(holder)
    if player is None:
        raise LapilliError("you are watching: only the players can do that")
    if not afterwards and table.match.over:
        raise LapilliError("the match is over")
    if not afterwards and not table.plan.ready:
        raise LapilliError("wait until all seats are taken")
    return player


async def _change_draft(table: LiveTable, player: int, message: from_page.OfDraft) -> None:
    """Applies a message to a player's draft: adds or removes an action, starts a hint, or plays the draft.

    Plays the draft if the message is a `Commit`, or if the draft can be played without confirmation.
    """
    if message.turn != table.match.turn:
        raise IllegalAction("that turn is over")
    planning = table.turn_plans.chosen.get(player)
    if planning is not None and player not in table.match.asked:
        return await _change_plan(table, planning, player, message)
    draft = table.match.draft(player)
    if isinstance(message, from_page.Hint):
        return _hint(table, player)
    if isinstance(message, from_page.Pick):
        draft.pick(message.action)
    elif isinstance(message, from_page.Undo):
        draft.undo(message.step)
    if isinstance(message, from_page.Commit) or draft.is_settled:
        await table.give(player, reply=draft.reply())
        return None
    table.pages.show_status(player)
    return None


def _plan(table: LiveTable, player: int, message: from_page.PlanAhead) -> None:
    """Lets a player begin to plan a turn, or end without a plan, as the message says.

    To plan a turn is to choose a turn of the opponent and a reply to it, which the site then plays.

    Raises IllegalAction if the player cannot plan a turn now.
    """
    if message.turn != table.match.turn:
        raise IllegalAction("that turn is over")
    table.turn_plans.chosen.pop(player, None)
    if message.begins:
        if not can_plan(table.match, player):
            raise IllegalAction("no turn can be planned now")
        table.turn_plans.chosen[player] = Planning(table.match.referee.state, message.turn, player)
    table.pages.show_status(player)


async def _change_plan(table: LiveTable, planning: Planning, player: int, message: from_page.OfDraft) -> None:
    """Applies a message to the planned turn that a player is choosing: adds or removes an action.

    A planned turn has two parts: a turn of the opponent, and the player's reply to it. It is stored when both are
    complete. `planning`: the planned turn so far.
    """
    if isinstance(message, from_page.Hint):
        raise LapilliError("there are no hints for planned turns")
    if isinstance(message, from_page.Pick):
        planning.draft.pick(message.action)
    elif isinstance(message, from_page.Undo):
        planning.draft.undo(message.step)
    if isinstance(message, from_page.Commit) or planning.draft.is_settled:
        try:
            planned = planning.go_on()
        except IllegalAction:
            if planning.draft.is_settled:
                planning.draft.undo()
                table.pages.show_status(player)
            raise
        if planned is not None:
            del table.turn_plans.chosen[player]
            await table.turn_plans.add(player, planned)
    table.pages.show_status(player)


async def _draw(table: LiveTable, player: int, agrees: bool) -> None:
    """Records that a player offers a draw or agrees to one (`agrees`), or refuses all offers (not `agrees`)."""
    if not table.plan.is_among_people:
        raise LapilliError("draws can be agreed only among people")
    turn = table.match.turn
    await table.amend(lambda plan: answer_draw(plan, player, agrees, turn))
    await table.go_on()


async def _take_back(table: LiveTable, player: int) -> None:
    """Takes back the player's last turn and all turns after it."""
    if table.plan.is_serious:
        raise LapilliError(f"the match {_why_serious(table.plan)}: turns cannot be taken back")
    if not table.plan.is_against_engines(player):
        raise LapilliError("turns can be taken back only against engines")
    turns = [answer.turn for answer in table.answers if answer.player == player]
    if not turns:
        raise LapilliError("there is nothing to take back")

    def change(stored: dict[str, Any]) -> None:
        stored["taken_back"] = stored.get("taken_back", 0) + 1
        stored.pop("resigned", None)

    await table.drop_answers(turns[-1], change)


def _why_serious(plan: TablePlan) -> str:
    return "is rated" if plan.rated else "belongs to a tournament"


def _hint(table: LiveTable, player: int) -> None:
    """Starts the search for a hint, unless it is running already.

    During the search, all pages of the player receive reports of its progress, and then the hint. If the player changes
    the draft during the search, no hint is sent. Raises LapilliError if the player may not have a hint now.
    """
    if table.plan.is_serious:
        raise LapilliError(f"the match {_why_serious(table.plan)}: there are no hints")
    if not table.plan.is_against_engines(player) or not table.match.game.searches:
        raise LapilliError("hints are available only against engines")
    draft, turn = table.match.draft(player), table.match.turn
    if draft.complete:
        raise LapilliError("your turn is complete: play it or undo")
    count = len(draft.actions)

    def send(message: to_page.HintSearch | to_page.FoundHint) -> None:
        for watcher in table.audience:
            if table.plan.seat_of(watcher.holder) == player:
                watcher.send(message)

    if table.driver.is_hinting:
        if table.driver.hinted_for != (draft, count):
            raise LapilliError("the engine still looks for the hint before this one: ask again in a moment")
        return send(to_page.HintSearch(share=None))

    async def send_hint() -> None:
        async for share in table.services.compilation.shares(table.plan.game, BEST):
            send(to_page.HintSearch(share=share))
        send(to_page.HintSearch(share=None))
        steps = await table.services.engines.hint(draft.state, player)
        async with table.lock:
            if table.match.drafts.get(player) is draft and len(draft.actions) == count:
                send(to_page.FoundHint(turn=turn, steps=steps))

    return table.driver.start_hint(send_hint(), (draft, count))


async def _rematch(table: LiveTable) -> None:
    """Creates the table of a rematch, unless another player has created it already."""
    if not table.match.over:
        raise LapilliError("the match is not over")
    if table.plan.tournament:
        raise LapilliError("the tournament decides who plays next")
    if not table.plan.rematch:
        await asyncio.to_thread(check_rematch, table.services.store, table.plan)
    table_id = new_id()

    def change(plan: TablePlan) -> None:
        plan.rematch = plan.rematch or table_id

    await table.amend(change)
    new_plan = msgspec.to_builtins(table.plan.again())
    add = table.services.store.site.matches.add
    await asyncio.to_thread(add, table.plan.rematch, table.plan.game, new_plan)
    table.moved()  # programs at the new table are told only now that it exists
    table.pages.show_status()
