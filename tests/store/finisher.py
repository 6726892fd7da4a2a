"""Finishes the rated matches of a store one after the other, and prints each id, until it is killed or all are over."""

from __future__ import annotations

import sys

from lapilli.store import Store
from store.rated import RULES, ranks_of_match

if __name__ == "__main__":
    with Store.open(sys.argv[1]) as store:
        print("started", flush=True)
        for table in sorted(store.site.matches.listed(over=False, most=10_000), key=lambda table: int(table.id)):
            ranks = ranks_of_match(int(table.id), len(table.plan["seats"]))
            store.site.matches.finish(table.id, b"record", "over", ranks, RULES)
            print(table.id, flush=True)
