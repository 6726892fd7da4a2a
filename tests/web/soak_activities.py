"""Activities of a soak: each is a short visit of one or several people to a site with all its features.

`Crowd` begins the visits of `ACTIVITIES` again and again until everybody leaves. `benchmarks/soak.py` runs it.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any

from lapilli.core.content.puzzles import read_puzzles
from lapilli.core.content.tutorials import read_tutorial
from lapilli.games import load, names
from lapilli.site.http.errors import NO_ANSWER
from web.client import PASSWORD, PublicSite
from web.soak_people import Person, TablePage, Tally, Unexpected
from web.tournament_load import Measured, Member, Plan

GAMES = [name for name in names() if min(load(name).players) == 2]
SIMPLE = "tictactoe"
"""A game whose input has all legal replies in its second line, so that a bot of two lines plays it."""
BOT = "import sys\nwhile sys.stdin.readline().strip():\n    print(input().split()[0], flush=True)\n"
_MEMBERS = 24
_FINISHED = 40
"""Number of finished matches at which people look."""
_THINK_S = 0.6
"""Mean time for a turn, in seconds."""


class Crowd:
    """All people of a soak.

    Args:
        site: the running site, whose registration is open.
        rate: factor for the number of visits; 1 for about a quarter of a core.

    Attributes:
        tally: what was done and seen.
        chance: source of random numbers.
        members: people with accounts.
        owner: owner of the site.
        finished: ids of finished matches.
    """

    def __init__(self, site: PublicSite, rate: float) -> None:
        self.site, self.rate, self.tally, self.chance = site, rate, Tally(), random.Random(20)
        self.members: list[Person] = []
        self.owner = self.person("Ada")
        self.finished: deque[str] = deque(maxlen=_FINISHED)
        self._tasks: set[asyncio.Task[None]] = set()
        self._names = 0

    def person(self, name: str = "", token: str = "") -> Person:
        return Person(self.site.url, self.tally, name, token=token)

    def new_name(self) -> str:
        self._names += 1
        return f"Visitor-{self._names}"

    async def arrive(self) -> None:
        """Members sign up, one after the other."""
        await self.owner.sign_up(self.site.owner_link.partition("invitation=")[2])
        for number in range(_MEMBERS):
            self.members.append(self.person(f"Member-{number}"))
            await self.members[-1].sign_up()

    def start(self) -> None:
        """Begins the visits."""
        for activity in ACTIVITIES:
            self._start(self._repeat(activity))

    async def leave(self) -> None:
        """Ends all visits; everybody closes all connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for person in (self.owner, *self.members):
            await person.http.aclose()

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _repeat(self, activity: Activity) -> None:
        free = asyncio.Semaphore(activity.most)
        while True:
            await asyncio.sleep(self.chance.expovariate(self.rate / activity.every_s))
            await free.acquire()
            self._start(self._visit(activity, free))

    async def _visit(self, activity: Activity, free: asyncio.Semaphore) -> None:
        name = activity.visit.__name__
        try:
            await activity.visit(self)
            self.tally.done[name] += 1
        except Exception as error:
            for one in _single(error):
                kind = "" if isinstance(one, Unexpected) else f"{type(one).__name__} "
                self.tally.failed[f"{name}: {kind}{one}"] += 1
        finally:
            free.release()

    def two(self) -> list[Person]:
        return self.chance.sample(self.members, 2)

    async def seat_two(self, **form: str) -> tuple[str, list[Person]]:
        """Two members open a table and sit down; its path."""
        first, second = people = self.two()
        table = await first.lay(self.chance.choice(GAMES), **form)
        async with first.at(table) as page:
            (key,) = page.now["links"].values()
        seat = f"{table}/seat/{key}"
        await second.get(seat)
        await second.post(seat, 303, data={"name": second.name})
        return table, people


def _single(error: Exception) -> list[Exception]:
    """The errors of a group, or the error itself."""
    if not isinstance(error, ExceptionGroup):
        return [error]
    return [single for one in error.exceptions for single in _single(one)]


# -- matches


async def live_match(crowd: Crowd) -> None:
    """Two members play to the end, write to each other, and look at the match afterwards; others watch."""
    clock = crowd.chance.choice(["none", "3+2", "10+5", "turn-120"])
    rated = "yes" if clock != "none" and crowd.chance.random() < 0.5 else ""
    table, people = await crowd.seat_two(time=clock, rated=rated)
    ends = crowd.chance.choice(["", "", "resign", "draw", "rematch"])
    async with asyncio.TaskGroup() as group:
        for number, person in enumerate(people):
            group.create_task(_at_board(crowd, person, table, ends, number))
        for _ in range(crowd.chance.randrange(4)):
            group.create_task(_watch(crowd, table))
    crowd.finished.append(table.removeprefix("/t/"))


async def _at_board(crowd: Crowd, person: Person, table: str, ends: str, number: int) -> None:
    async with person.at(table) as page:
        await page.say("say", text=f"Good luck from {person.name}!")
        await page.play(crowd.chance, _THINK_S, turns=6 if ends in ("resign", "draw") else 1000)
        if ends == "resign" and not number:
            await page.say("resign")
        if ends == "draw":
            await page.say("draw", agrees=True)
        await page.play(crowd.chance, _THINK_S)
        others = [line for line in page.chat if not line["own"]]
        if others and crowd.chance.random() < 0.2:
            await page.say("report", line=others[-1]["id"])
        if ends == "rematch":
            await page.say("rematch")
        page.check()
    match = table.replace("/t/", "/m/")
    await person.get(match)
    if not number:
        await person.get(f"{match}.json")


async def _watch(crowd: Crowd, table: str) -> None:
    """A guest or a member watches for a while, and leaves with or without a word."""
    guest = crowd.person()
    async with guest:
        await asyncio.sleep(5 * crowd.chance.random())
        watcher = guest if crowd.chance.random() < 0.5 else crowd.chance.choice(crowd.members)
        async with watcher.at(table) as page:
            with suppress(TimeoutError):
                async with asyncio.timeout(30 * crowd.chance.random()):
                    while not page.now["outcome"]:
                        await page.hear()
            if crowd.chance.random() < 0.3:
                page.socket.transport.abort()


async def against_level(crowd: Crowd) -> None:
    """A guest or a member plays a level, asks for a hint, takes a turn back, and sometimes does not come back."""
    guest = crowd.person()
    async with guest:
        person = guest if crowd.chance.random() < 0.4 else crowd.chance.choice(crowd.members)
        game = crowd.chance.choice(GAMES)
        known = [one.player for one in load(game).strengths if one.player in ("level1", "level2", "level3")]
        table = await person.lay(game, opponent1=crowd.chance.choice(known or ["random"]))
        async with person.at(table) as page:
            await page.play(crowd.chance, _THINK_S, turns=2)
            if crowd.chance.random() < 0.3 and not page.now["outcome"]:
                await page.say("take-back")
            if crowd.chance.random() < 0.2 and not page.now["outcome"]:
                await page.say("hint", turn=page.now["turn"])
            if crowd.chance.random() < 0.15:
                page.socket.transport.abort()
                return
            await page.play(crowd.chance, _THINK_S)
        crowd.finished.append(table.removeprefix("/t/"))


async def over_days(crowd: Crowd) -> None:
    """Two members play a match over days, with pauses, and plan turns."""
    table, people = await crowd.seat_two(time=crowd.chance.choice(["days-1", "days-3", "days-14"]), rated="yes")
    for number in range(crowd.chance.randrange(1, 8)):
        person = people[number % 2]
        await asyncio.sleep(60 * crowd.chance.random())
        await person.get("/matches")
        await person.get("/matches/waiting")
        async with person.at(table) as page:
            if page.now["outcome"]:
                return
            if "draft" in page.now:
                await page.play(crowd.chance, _THINK_S, turns=1)
            elif page.now["plans"]:
                await _plan(crowd, page)
    async with people[0].at(table) as page:
        if not page.now["outcome"]:
            await page.say("resign")
            await page.until(lambda: page.now["outcome"])


async def _plan(crowd: Crowd, page: TablePage) -> None:
    """Chooses one action of a planned turn, and sometimes does not finish it."""
    turn = page.now["turn"]
    await page.say("plan", turn=turn, begins=True)
    await page.until(lambda: page.now.get("planning") or page.refused)
    for _ in range(2):
        choices = page.now.get("draft", {}).get("choices")
        if choices:
            before = page.now
            await page.say("pick", turn=turn, action=crowd.chance.choice(choices)[0])
            await page.until(lambda: page.now is not before or page.refused)  # noqa: B023


async def lobby(crowd: Crowd) -> None:
    """Members offer, withdraw and accept matches, or are paired, and play."""
    first, second = crowd.two()
    await first.get("/lobby")
    form = {"game": crowd.chance.choice(GAMES), "time": crowd.chance.choice(["3+2", "10+5"])}
    if crowd.chance.random() < 0.5:
        for person in (first, second):
            await person.post("/lobby/seeks", 201, data=form | {"quick": "yes", "rated": "yes"})
        table = ""
        for _ in range(20):
            table = table or (await first.get("/lobby/now")).json()["table"]
            table = (await second.get("/lobby/now")).json()["table"] or table
            if table:
                break
            await asyncio.sleep(1)
        await first.get("/lobby/now")
        if not table:
            raise Unexpected("nobody was paired")
    else:
        withdrawn, offer = [(await first.post("/lobby/seeks", 201, data=form)).json()["id"] for _ in range(2)]
        await first.get("/lobby/now")
        await first.post(f"/lobby/seeks/{withdrawn}/withdraw", 200, 404)  # 404 if it has expired on a busy machine
        await second.get("/lobby/now")
        accepted = await second.post(f"/lobby/seeks/{offer}/accept", 200, 400)
        if accepted.status_code == 400:
            return
        table = accepted.json()["table"]
        await first.get("/lobby/now")
    async with asyncio.TaskGroup() as group:
        for number, person in enumerate((first, second)):
            group.create_task(_at_board(crowd, person, f"/t/{table}", "resign", number))


async def tournament(crowd: Crowd) -> None:
    """Four to eight members play a tournament; in some, a level plays, too."""
    kind = crowd.chance.choice(["swiss", "round-robin", "knock-out", "arena"])
    game = "pyramids" if kind == "swiss" else SIMPLE  # the only one with few enough matches for a longer game
    organiser, *players = crowd.chance.sample(crowd.members, crowd.chance.randint(5, 9))
    plan = Plan(kind, game, players=len(players), joining_s=2.0, think_s=(0.2, 1.5))
    form = {"game": game, "kind": kind, "time": "3+2", "bots": "yes", "rated": "yes"}
    form |= {"length": {"swiss": "3", "arena": "10"}[kind]} if kind in ("swiss", "arena") else {}
    path = (await organiser.post("/tournaments", 201, data=form)).json()["address"]
    if kind == "swiss":
        await organiser.post(f"{path}/level", data={"engine": "level1"})
    measured, sent = Measured(), dict[str, tuple[int, float]]()
    members = [
        Member(crowd.site, plan, number, person.cookie, measured, sent).play(path)
        for number, person in enumerate(players)
    ]
    try:
        async with asyncio.TaskGroup() as group:
            for member in members:
                group.create_task(member)
            while len(measured.joins) < len(players):
                await asyncio.sleep(0.5)
            await organiser.post(f"{path}/start")
    finally:
        crowd.tally.requests += measured.requests
        crowd.tally.slow += sum(NO_ANSWER in text for text in measured.failed)
        for text in (*(one for one in measured.failed if NO_ANSWER not in one), *measured.disconnects):
            crowd.tally.failed[f"tournament {kind}: {text}"] += 1


# -- study


async def study(crowd: Crowd) -> None:
    """A member saves a study, another one follows it; half of the studies are deleted."""
    owner, reader = crowd.two()
    nodes: list[list[Any]] = [[-1, ""], [0, "0", "a corner"], [0, "4", ""]]
    fields: dict[str, Any] = {"name": "Corners", "access": "link", "game": SIMPLE}
    fields |= {"content": {"setup": {}, "nodes": nodes}}
    await owner.get("/studies")
    path = f"/studies/{(await owner.post('/studies', 201, json=fields)).json()['id']}"
    await reader.get(path)
    for revision in range(1, crowd.chance.randint(2, 6)):
        nodes.append([len(nodes) - 1, str(revision), "a line"]) if revision == 1 else None
        await owner.post(path, json=fields | {"revision": revision, "at": 1})
        await reader.get(f"{path}/now?revision={revision}")
        await owner.post(f"{path}/at", json={"at": 2})
        await reader.get(f"{path}/now?revision={revision + 1}")
        await asyncio.sleep(crowd.chance.random())
    if crowd.chance.random() < 0.5:
        await owner.post(f"{path}/delete", 303)
        await reader.get(path, 404)


async def lessons(crowd: Crowd) -> None:
    """Somebody solves puzzles and steps of a tutorial, or gives up."""
    guest = crowd.person()
    async with guest:
        person = guest if crowd.chance.random() < 0.5 else crowd.chance.choice(crowd.members)
        game = crowd.chance.choice(GAMES)
        content = load(game).content
        await person.get(f"/rules/{game}")
        if read_tutorial(content).steps:
            await person.get("/learn")
            await person.get(f"/learn/{game}")
            await person.post(f"/learn/{game}/0", json={"reply": ""})
            await person.post(f"/learn/{game}/99", 404, json={"reply": ""})
        await person.get("/puzzles")
        if read_puzzles(content):
            path = (await person.get(f"/puzzles/{game}", 303)).headers["location"]
            await person.get(path)
            await person.post(path.partition("?")[0], json={"reply": crowd.chance.choice(["", "nonsense"])})


async def analysis(crowd: Crowd) -> None:
    """Somebody walks through positions, lets an engine think for a moment, and looks for mistakes in a match."""
    guest = crowd.person()
    async with guest:
        person = guest if crowd.chance.random() < 0.5 else crowd.chance.choice(crowd.members)
        game = crowd.chance.choice(GAMES)
        await person.get("/analyse")
        await person.get(f"/analyse?game={game}")
        moves: list[str] = []
        for _ in range(crowd.chance.randrange(1, 6)):
            given: list[str] = []
            actions: list[int] = []
            place = {"game": game, "moves": moves, "setup": {"seed": 7}}
            shown = (await person.post("/analyse/at", json=place)).json()
            if not shown["asked"]:
                break
            while len(given) < len(shown["asked"]):
                draft = (await person.post("/analyse/at", json=place | {"given": given, "actions": actions})).json()
                choices = draft["draft"]["choices"]
                if draft["draft"]["reply"] is not None:
                    given, actions = [*given, draft["draft"]["reply"]], []
                else:
                    actions = [*actions, min(choices)[0]]
            moves = [*moves, " | ".join(given)]
            await person.post("/analyse/openings", json=place)
        if load(game).searches:
            await _think(person, {"game": game, "moves": [], "setup": {"seed": 7}})
        if crowd.finished:
            match = f"/m/{crowd.chance.choice(crowd.finished)}"
            await person.get(f"{match}/mistakes", 200, 404)
            if crowd.chance.random() < 0.1:
                await person.post(f"{match}/mistakes", 200, 404, 400)


async def _think(person: Person, place: dict[str, Any]) -> None:
    """Reads two lines of an engine's analysis, and leaves."""
    async with person.http.stream("POST", "/analyse/think", json=place) as answer:
        person.tally.requests += 1
        if answer.status_code != 200:
            raise Unexpected(f"/analyse/think: {answer.status_code}")
        count = 0
        async for line in answer.aiter_lines():
            count += 1
            if "problem" in json.loads(line):
                raise Unexpected(f"/analyse/think: {line}")
            if count == 2:
                break


# -- pages


PAGES = (
    *("/", "/play", "/people", "/tournaments", "/puzzles", "/learn", "/leagues", "/sign-in", "/sign-up", "/offline"),
    *(f"/{page}/{game}" for page in ("films", "rules", "leagues", "play/ready") for game in GAMES),
    *(f"/people?game={game}&kind={kind}" for game in GAMES for kind in ("live", "correspondence")),
)
OWN_PAGES = ("/lobby", "/matches", "/studies", "/bots", "/account", "/account/tokens", "/tournaments/new", "/api/docs")


async def browse(crowd: Crowd) -> None:
    """Somebody looks at some pages."""
    guest = crowd.person()
    async with guest:
        is_guest = crowd.chance.random() < 0.5
        person, pages = (guest, PAGES) if is_guest else (crowd.chance.choice(crowd.members), PAGES + OWN_PAGES)
        for page in crowd.chance.sample(pages, 4):
            answer = await person.get(page)
            if page == "/":
                assets = re.findall(r'(?:src|href)="(/static/[^"]+)"', answer.text)
                await person.get(crowd.chance.choice(assets))
        await person.get(f"/people/{crowd.chance.choice(crowd.members).name}")
        if crowd.finished:
            match = crowd.chance.choice(crowd.finished)
            await person.get(f"/m/{match}", 200, 404)
            await person.get(f"/t/{match}/past", 200, 404)


async def moderate(crowd: Crowd) -> None:
    """The owner looks at members and reports, and deletes reported lines."""
    await crowd.owner.get("/members")
    await crowd.owner.get("/members/log")
    page = (await crowd.owner.get("/members/reports")).text
    for line in re.findall(r"/members/reports/(\d+)/remove", page)[:5]:
        await crowd.owner.post(f"/members/reports/{line}/{crowd.chance.choice(['remove', 'keep'])}", 303)
    await crowd.owner.post("/members/invite", data={"role": "member"})


async def account(crowd: Crowd) -> None:
    """Somebody signs up, out and in, changes the name, downloads all data, and sometimes deletes the account."""
    async with crowd.person(crowd.new_name()) as person:
        await person.get("/sign-up")
        await person.sign_up()
        await person.get("/account")
        table = await person.lay(SIMPLE, opponent1="random")
        async with person.at(table) as page:
            await page.play(crowd.chance, _THINK_S)
        await person.post("/sign-out", 303)
        await person.post("/sign-in", 401, data={"name": person.name, "password": "wrong horse"})
        await person.post("/sign-in", 303, data={"name": person.name, "password": PASSWORD})
        person.name += "-b"
        await person.post("/account/name", 303, data={"name": person.name, "password": PASSWORD})
        await person.get("/account/data.zip")
        if crowd.chance.random() < 0.5:
            await person.post("/account/delete", 303, data={"password": PASSWORD})


# -- bots and programs


async def bot(crowd: Crowd) -> None:
    """A member writes a bot, lets it play, enters it in the league, and deletes it."""
    author = crowd.chance.choice(crowd.members)
    form = {"game": SIMPLE, "name": crowd.new_name(), "language": "python"}
    path = (await author.post("/bots", 303, data=form)).headers["location"]
    await author.get(path)
    version = (await author.post(f"{path}/code", content=BOT)).json()["version"]
    trial = {"kind": "play", "version": version, "opponent": "random", "seat": 0, "seed": 7}
    kinds = [trial, {"kind": "submit", "version": version}][: 1 + (crowd.chance.random() < 0.5)]
    for ask in kinds:
        played = (await author.post(f"{path}/trials", json=ask)).json()["id"]
        if ask is trial:
            async with author.socket(f"{path}/trials/{played}/live") as socket:
                async for _ in socket:
                    crowd.tally.messages += 1
        async with asyncio.timeout(300):
            while (found := (await author.get(f"{path}/trials/{played}")).json())["state"] in ("waiting", "running"):
                await asyncio.sleep(1)
        if found["state"] != "done":
            raise Unexpected(f"a trial: {str(found)[:300]}")
    await author.get(f"{path}/league")
    table = await author.lay(SIMPLE, opponent1=f"code:{form['name']}")
    async with author.at(table) as page:
        await page.play(crowd.chance, _THINK_S)
    await author.post(f"{path}/delete", 303)


async def program(crowd: Crowd) -> None:
    """A member's program challenges a built-in opponent by the API, follows events, and plays; its token is revoked."""
    member = crowd.chance.choice(crowd.members)
    name = crowd.new_name()
    page = (await member.post("/account/tokens", data={"name": name, "play": "yes", "read": "yes"})).text
    found = re.search(r'value="(lapilli_[\w-]+)"', page)
    revoke = re.search(rf'action="(/account/tokens/[\w-]+/revoke)"><button aria-label="Revoke {name}"', page)
    if found is None or revoke is None:
        raise Unexpected("no token")
    async with crowd.person(token=found[1]) as caller:
        api = "/api/v1"
        for path in ("/account", "/games", "/tables", "/tables?over=true", f"/leaderboards/{SIMPLE}", "/tournaments"):
            await caller.get(api + path)
        events = asyncio.create_task(_events(caller))
        try:
            challenge = {"game": SIMPLE, "opponents": ["random"], "seat": "1"}
            table = (await caller.post(f"{api}/challenges", 201, json=challenge)).json()["id"]
            async with caller.http.stream("GET", f"{api}/tables/{table}/stream") as answer:
                async for line in answer.aiter_lines():
                    event = json.loads(line) if line else {"type": ""}
                    if event["type"] == "ask":
                        reply = {"turn": event["turn"], "text": event["text"].splitlines()[1].split()[0]}
                        await caller.post(f"{api}/tables/{table}/answers", json=reply)
            await caller.get(f"{api}/tables/{table}/record")
        finally:
            events.cancel()
            await asyncio.gather(events, return_exceptions=True)
        await member.post(revoke[1], 303)
        await caller.get(f"{api}/account", 401)


async def _events(caller: Person) -> None:
    async with caller.http.stream("GET", "/api/v1/events") as answer:
        async for _ in answer.aiter_lines():
            caller.tally.messages += 1


# -- what no browser sends


async def misuse(crowd: Crowd) -> None:
    """Broken requests, unknown addresses, and connections that end in the middle."""
    async with crowd.person() as stranger:
        member = crowd.chance.choice(crowd.members)
        await stranger.get(f"/{'x' * crowd.chance.randrange(1, 500)}", 404)
        await stranger.get(f"/t/{crowd.chance.randbytes(8).hex()}", 404)
        await stranger.get("/lobby/now", 401)
        await stranger.post("/play", 400, data={"game": "chess"})
        await stranger.post("/play", 400, data={"game": SIMPLE, "opponent1": "x" * 500})
        await stranger.post("/analyse/at", 400, content=b'{"game": "' + crowd.chance.randbytes(20))
        await stranger.post("/analyse/at", 413, content=b" " * 300_000)
        await stranger.post("/sign-in", 403, data={"name": "x"}, headers={"Origin": "http://evil.example"})
        await member.post("/studies", 400, content=b"[")
        await member.post("/account/name", 400, data={"name": "x" * 200, "password": PASSWORD})
        await stranger.ask("BREW", "/", 405)
        await stranger.get("/api/v1/account", 401, headers={"Authorization": "Bearer lapilli_x"})
        table = await stranger.lay(SIMPLE, opponent1="random")
        async with stranger.at(table) as page:
            for text in ("", "{", "x" * 1000, '{"do": "pick", "turn": 1, "action": 99}'):
                await page.socket.send(text)
            await page.until(lambda: len(page.refused) == 4)
            page.socket.transport.abort()
        await _broken_connections(crowd)


async def _broken_connections(crowd: Crowd) -> None:
    for text in (
        b"",
        b"GET / HTTP/1.1\r\nHost: ",
        b"POST /play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\ngame=",
        b"\x16\x03\x01" + crowd.chance.randbytes(50),
        b"GET /films/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (SIMPLE.encode(), crowd.site.port),
    ):
        _, writer = await asyncio.open_connection("127.0.0.1", crowd.site.port)
        writer.write(text)
        await writer.drain()
        await asyncio.sleep(0.1 * crowd.chance.random())
        writer.transport.abort()
    async with AsyncExitStack() as stack:
        with suppress(Exception):
            await stack.enter_async_context(crowd.owner.socket("/t/nothing/live"))


Visit = Callable[[Crowd], Awaitable[None]]


@dataclass(frozen=True)
class Activity:
    """A visit that is made again and again.

    Attributes:
        visit: function that makes one visit.
        every_s: mean time between the beginnings of two visits, in seconds.
        most: largest number of visits at the same time.
    """

    visit: Visit
    every_s: float
    most: int = 4


ACTIVITIES = (
    Activity(live_match, 20),
    Activity(against_level, 25),
    Activity(over_days, 30, 8),
    Activity(lobby, 30, 1),
    Activity(tournament, 20, 1),
    Activity(study, 25),
    Activity(lessons, 12),
    Activity(analysis, 25, 2),
    Activity(browse, 4),
    Activity(moderate, 60, 1),
    Activity(account, 40),
    Activity(bot, 90, 1),
    Activity(program, 40),
    Activity(misuse, 15, 2),
)
