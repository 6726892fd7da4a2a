"""Which matches without people are played, and which wait."""

from __future__ import annotations

import asyncio

from lapilli.site.live.drivers.match_queue import MatchQueue


def test_matches_begin_in_the_order_in_which_they_came() -> None:
    queue, begun, places = MatchQueue(2), list[str](), dict[str, list[int]]()

    async def enter(name: str) -> None:
        await queue.enter(name, places.setdefault(name, []).append)
        begun.append(name)

    async def work() -> None:
        tasks = {name: asyncio.create_task(enter(name)) for name in "abcde"}
        again = asyncio.create_task(enter("d"))  # both bots of a match may be asked at once
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert begun == ["a", "b"]
        assert [places[name][-1] for name in "cde"] == [1, 2, 3]
        await enter("a")
        assert begun.pop() == "a", "a match that is played does not wait again"
        tasks["c"].cancel()
        await asyncio.wait([tasks["c"]])
        assert [places[name][-1] for name in "cde"] == [0, 1, 2]
        queue.leave("c")
        assert [places[name][-1] for name in "de"] == [1, 2], "it was not played"
        queue.leave("a")
        await asyncio.gather(tasks["d"], again)
        assert begun == ["a", "b", "d", "d"]
        assert ["a" in queue, "d" in queue, "e" in queue] == [False, True, False]
        queue.leave("d")
        queue.leave("b")
        await tasks["e"]
        assert [places[name][-1] for name in "abde"] == [0, 0, 0, 0]

    asyncio.run(work())


def test_a_match_that_is_cancelled_when_its_turn_has_come_leaves_its_place() -> None:
    queue = MatchQueue(1)

    async def work() -> None:
        await queue.enter("a", lambda _: None)
        waiting = asyncio.create_task(queue.enter("b", lambda _: None))
        await asyncio.sleep(0)
        queue.leave("a")
        waiting.cancel()
        await asyncio.wait([waiting])
        queue.leave("b")  # the table does so when it stops
        await asyncio.wait_for(queue.enter("c", lambda _: None), 10)

    asyncio.run(work())
