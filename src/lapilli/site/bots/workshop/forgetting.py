"""Deletes bots: their sources, trials and league entries. Their matches are kept."""

from __future__ import annotations

import shutil
from pathlib import Path

from lapilli.arena.league import League
from lapilli.site.bots.workshop import leagues
from lapilli.site.bots.workshop.builds import folder_name
from lapilli.site.people.identity.names import DELETED_BOT
from lapilli.store import SiteBot, Store


def forget_bot(store: Store, bot: SiteBot, copies: Path) -> None:
    """Deletes a bot and its trials. Withdraws it from its league and tournaments, where its name becomes DELETED_BOT.

    Args:
        store: the database.
        bot: the bot.
        copies: folder with the copies of all bots that play in leagues.
    """
    now, league = store.site.bots.get(bot.id), leagues.find(store, bot.game, copies)
    if league is not None and now is not None and now.submitted:  # it may have entered after `bot` was read
        forget_entries(store, bot, league)
    store.site.tournaments.forget_bot(bot.id, DELETED_BOT)
    store.site.trials.forget(bot.id)
    store.site.bots.remove(bot.id)


def forget_author(store: Store, owner: str, copies: Path, builds: Path) -> None:
    """Deletes all bots of an account, and their built programs.

    Args:
        store: the database.
        owner: the account's id.
        copies: folder with the copies of all bots that play in leagues.
        builds: folder with the built bots.
    """
    for bot in store.site.bots.owned(owner):
        for version in store.site.bots.versions(bot.id):
            stored = store.site.bots.version(bot.id, version.number)
            if stored is not None:
                shutil.rmtree(builds / folder_name(bot.language, stored.code), ignore_errors=True)
        forget_bot(store, bot, copies)


def forget_entries(store: Store, bot: SiteBot, league: League) -> None:
    """Withdraws all league entries of a bot, including those of earlier versions.

    Replaces the bot's name in these entries by DELETED_BOT, and deletes the league's copies of the bot.
    """
    entries = league.entries(withdrawn=True)
    theirs = [entry for entry in entries if entry.contestant.name == bot.name and not entry.boss]
    for entry in theirs:
        store.withdraw(league.event.id, entry.number)
        store.rename_contestant(league.event.id, entry.number, DELETED_BOT)
    others = {entry.folder for entry in entries if entry not in theirs}
    for folder in {entry.folder for entry in theirs} - others:
        shutil.rmtree(folder, ignore_errors=True)
