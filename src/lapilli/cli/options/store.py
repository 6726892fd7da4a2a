"""The option `--store`, and a function that opens the store which the option names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lapilli.core.errors import StoreTrouble

if TYPE_CHECKING:
    from lapilli.store import Store

STORE_PATIENCE_S = 30.0
"""Time for which a command tries again if the store is locked or cannot be reached, in seconds."""

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="WHERE",
        help="Store of the matches: a file, or the URL of a PostgreSQL database, postgresql://…",
        show_default="a file in your data folder",
    ),
]


def open_store(
    where: str | None, *, create: bool = True, patience: float = STORE_PATIENCE_S, rest: float = 0.0
) -> Store:
    """Opens a store.

    Args:
        where: value of the option --store; None for the default store, a file in this user's data folder.
        create: whether to create a missing store, and the folder of the default store.
        patience: time for which calls are retried while the store is locked or out of reach, in seconds.
        rest: time for which calls fail at once after a retried call has failed, in seconds; see `Store.open`.

    Raises:
        StoreTrouble: the store cannot be opened.
    """
    # Imported here: the database library takes a quarter of a second, and most commands on files do not need it.
    from lapilli.store import Store
    from lapilli.store.places import default_store

    if where is not None:
        return Store.open(where, create=create, patience=patience, rest=rest)
    file = default_store()
    if create:
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreTrouble(f"cannot make the store's folder {file.parent}: {error.strerror}") from None
    return Store.open(file, create=create, patience=patience, rest=rest)
