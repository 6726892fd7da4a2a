"""The database tables with the results of the site's finished matches, and with the ratings based on them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from lapilli.store.tables import metadata

_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite generates ids only for a column of type INTEGER

site_results = Table(
    "site_results",
    metadata,
    Column("number", _NUMBER, primary_key=True),
    Column("table_id", Text, ForeignKey("site_tables.id"), nullable=False),
    Column("player", Integer, nullable=False),
    Column("game", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("account", Text, nullable=False),  # "" for a built-in opponent
    Column("rank", Integer, nullable=False),  # 0 if the match has no ranks
    Column("standing", Text, nullable=False),  # "" if the match has no ranks
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False, default="live", server_default="live"),
    Column("weight", Double),  # this and the columns below are NULL if the match is not rated
    Column("rating_before", Double),
    Column("deviation_before", Double),
    Column("rating", Double),
    Column("deviation", Double),
    UniqueConstraint("table_id", "player"),
    Index("site_results_by_account", "account", "number"),
)
for _name, _columns in {
    "site_results_rated": (site_results.c.subject, site_results.c.game, site_results.c.kind, site_results.c.number),
    "site_results_by_time": (site_results.c.account, site_results.c.at),
}.items():
    _is_rated = site_results.c.weight.is_not(None)
    Index(_name, *_columns, sqlite_where=_is_rated, postgresql_where=_is_rated)

site_ratings = Table(
    "site_ratings",
    metadata,
    Column("game", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("rating", Double, nullable=False),
    Column("deviation", Double, nullable=False),
    Column("settled", Integer, nullable=False, default=0),  # 1: the rating is on the leaderboard
    Column("won", Integer, nullable=False, default=0),
    Column("drawn", Integer, nullable=False, default=0),
    Column("lost", Integer, nullable=False, default=0),
    Column("changed", Double, nullable=False),
    Index("site_ratings_by_account", "account"),
    Index("site_ratings_leaders", "game", "kind", "settled", "rating", "subject"),
)
