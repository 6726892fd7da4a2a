"""Projects: what is wrong in lapilli.toml is named with its line; gauntlets, versions, saved files, JUnit XML."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.test_verdict import verdict_of
from lapilli.arena.matches.versions.bot_files import files_below
from lapilli.arena.project.gauntlet import Gauntlet, gauntlet_of
from lapilli.arena.project.judging import judged
from lapilli.arena.project.junit import junit_xml
from lapilli.arena.project.project_file import read_project
from lapilli.arena.project.results import CaseResult, CaseStatus, ProjectResult
from lapilli.arena.project.running import WEAKER, ProjectRun
from lapilli.arena.project.versions import Versions
from lapilli.arena.project.watching import FilesSaved, FileWatch
from lapilli.core.errors import LapilliError
from lapilli.store import Store

TOP = 'game = "volcanoes"\n\n[bots.mine]\nrun = "python3 bot.py"\n\n[[tests]]\nagainst = ["greedy"]\n'


def project(folder: Path, text: str) -> Path:
    """A project file; its bot is one file."""
    (folder / "bot.py").write_text("print('RANDOM')\n")
    file = folder / "lapilli.toml"
    file.write_text(text)
    return file


def gauntlet(folder: Path, text: str, *only: str) -> Gauntlet:
    return gauntlet_of(read_project(project(folder, text)), only)


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("game = volcanoes", 1, "invalid value"),
        ('game = "volcanoes\n', 1, "illegal character"),
        (TOP + "[limits", 8, "expected ']'"),
        (TOP + 'game = "a"\ngame = "b"\n', 9, "cannot overwrite a value"),
        ('gmae = "volcanoes"\n' + TOP, 1, "unknown key 'gmae' (did you mean 'game'?)"),
        (TOP.replace("run", "biuld"), 4, "unknown key 'biuld' in [bots.mine] (did you mean 'build'?)"),
        (TOP.replace("against", "agianst"), 7, "unknown key 'agianst' in [[tests]] (did you mean 'against'?)"),
        (TOP + "[limits]\ntime_factor = 2\n", 9, "unknown key 'time_factor' in [limits] (did you mean 'time-factor'?)"),
        (TOP + "zzz = 1\n", 8, "unknown key 'zzz' in [[tests]] (known keys: game, league,"),
        (TOP + 'matches = "many"\n', 8, "matches: expected 'int', got 'str' in [[tests]]"),
        (TOP + "[[tests]]\nscore = 2\n", 9, "score: expected 'float' <= 1.0"),
        (TOP + "\n# matches = 1\nmatches = 0\n", 10, "matches: expected 'int' >= 1"),
        (TOP.replace('run = "python3 bot.py"', ""), 3, "object missing required field 'run' in [bots.mine]"),
        (TOP.replace("greedy", "gredy"), 7, "against: no bot, built-in opponent or command 'gredy' (did you mean"),
        (TOP.replace("greedy", "./other"), 7, "against: there is no file './other'"),
        (TOP.replace("greedy", "uct:nodse=5"), 7, "nodse"),
        (TOP.replace('"volcanoes"', '"volcanes"'), 1, "game: no game 'volcanes'"),
        (TOP + 'league = "wood"\n', 8, "league"),
        (TOP + 'game = "nosuch"\n', 8, "game: no game 'nosuch'"),
        (TOP + 'bot = "nime"\n', 8, "bot: no bot 'nime' (did you mean 'mine'?)"),
        (TOP + "set = { seed = 3 }\n", 8, "set: the key 'seed' stands beside it"),
        (TOP + "odds = { gredy = 2 }\n", 8, "odds: no player 'gredy' (did you mean 'greedy'?)"),
        (TOP + "odds = { greedy = 0 }\n", 8, "odds"),
        (TOP + 'openings = "none.txt"\n', 8, "openings: cannot read the openings in"),
        (TOP + 'openings = "bot.py"\n', 8, "openings: opening \"print('RANDOM')\""),
        (TOP + '[bots."a=b"]\nrun = "x"\n', 8, "'a=b' is no name for a bot"),
        (TOP + '[bots.b]\nrun = "x"\nfolder = "nowhere"\n', 10, "there is no folder 'nowhere'"),
        (TOP + "[limits]\nmargin = inf\n", 8, "a margin must be milliseconds"),
        (TOP.replace('["greedy"]', "[]").replace("\n\n[bots", "\nprevious = 0\n[bots"), 6, "at least one opponent"),
        (TOP.replace("[[tests]]", '[[tests]]\nname = "a"') + '[[tests]]\nname = "a"\nagainst = ["best"]\n', 10, "two"),
        ('bots = 3\ngame = "volcanoes"\n', 1, "bots: expected 'object', got 'int'"),
        ('[bots]\nmine = "x"\n', 2, "mine: expected a table [bots.mine]"),
        ('[bots.mine]\nrun = """\ngame = 3\n"""\nx = 1\n', 5, "unknown key 'x'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, line: int, complaint: str) -> None:
    with pytest.raises(LapilliError) as caught:
        gauntlet(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'lapilli.toml'}:{line}: ")
    assert complaint in message
    assert "\n" not in message


def test_files_that_are_no_project(tmp_path: Path) -> None:
    with pytest.raises(LapilliError, match=r"there is no file .*lapilli\.toml: lapilli test --init GAME"):
        read_project(tmp_path)
    file = project(tmp_path, "")
    with pytest.raises(LapilliError, match="missing required field 'bots'"):
        read_project(file)
    file.write_text('[bots.mine]\nrun = "x"\n')
    with pytest.raises(LapilliError, match="at least one table"):
        read_project(file)
    file.write_bytes(b"# a\n\xff")
    with pytest.raises(LapilliError, match=r"lapilli\.toml:2: this is no UTF-8 text"):
        read_project(file)
    file.write_text("a = " + "[" * 5000)
    with pytest.raises(LapilliError, match="nested too deeply"):
        read_project(file)
    file.unlink()
    file.symlink_to("/nowhere/else")
    with pytest.raises(LapilliError, match="there is no file"):
        read_project(file)


def test_a_gauntlet_fills_in_what_the_file_omits(tmp_path: Path) -> None:
    text = (
        'game = "kingdomino"\nleague = "wood"\nprevious = 7\n'
        '[bots.mine]\nrun = "python3 bot.py"\n[bots.old]\nrun = "python3 bot.py"\nfolder = "."\n'
        '[[tests]]\nagainst = ["random", "old", "old", "python3 ./bot.py"]\n'
        '[[tests]]\nbot = "old"\nplayers = 3\nagainst = ["random"]\nprevious = 0\n'
        '[[tests]]\ngame = "volcanoes"\nagainst = ["greedy"]\nscore = 0.5\n'
        '[[tests]]\nagainst = ["greedy"]\n'
    )
    first, second, third, fourth = gauntlet(tmp_path, text).tests
    assert (first.name, first.bot, first.keys.matches, first.previous) == ("mine kingdomino wood", "mine", 40, 7)
    assert [opponent.name for opponent in first.opponents] == ["random", "old", "python3 ./bot.py"]
    assert [opponent.bot is None for opponent in first.opponents] == [True, False, False]
    assert (second.setup, second.previous) == ({"players": 3, "league": "wood"}, 0)
    assert (third.name, third.setup, third.previous) == ("mine volcanoes", {"players": 2}, 7)
    assert (fourth.name, fourth.previous) == ("mine kingdomino wood (2)", 0), "the first test compares it already"
    assert list(gauntlet(tmp_path, text).bots) == ["mine", "old", "python3 ./bot.py"]
    assert gauntlet(tmp_path, text).whole == {"mine", "old"}
    chosen = gauntlet(tmp_path, text, "mine volcanoes", "old")
    assert [test.name for test in chosen.tests] == ["old kingdomino wood", "mine volcanoes"]
    assert chosen.whole == {"old"}
    with pytest.raises(LapilliError, match=r"no test or tested bot 'odl' \(did you mean 'old'\?\)"):
        gauntlet(tmp_path, text, "odl")


def test_a_version_is_a_copy_that_is_started_in_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "weights.txt").write_text("1")
    (tmp_path / ".hidden").mkdir()
    made = gauntlet(tmp_path, TOP.replace("bot.py", "./bot.py lib/weights.txt .hidden --depth 3"))
    versions = Versions(made.project)
    version = versions.take("mine", made.bots["mine"], made.project.folder)
    hidden = str(tmp_path.resolve() / ".hidden")
    assert version.run == ("python3", "bot.py", "lib/weights.txt", hidden, "--depth", "3")
    copy = tmp_path / ".lapilli" / "versions" / version.copy
    assert sorted(os.path.relpath(file, copy) for file in files_below(str(copy))) == ["bot.py", "lib/weights.txt"]
    assert (tmp_path / ".lapilli" / ".gitignore").read_text() == "*\n"
    assert versions.last_good("mine") is None
    versions.keep({"mine": version})
    assert Versions(made.project).last_good("mine") == version
    game = made.tests[0].game
    before = versions.contestant(game, "mine", version).hash
    (tmp_path / "lib" / "weights.txt").write_text("2")
    other = versions.take("mine", made.bots["mine"], made.project.folder)
    assert versions.contestant(game, "mine", other).hash != before
    assert versions.contestant(game, "mine", version).hash == before
    project(tmp_path, TOP + "[limits]\nmemory-mb = 50\n")
    limited = Versions(read_project(tmp_path)).contestant(game, "mine", version)
    assert limited.hash != before


def test_old_copies_are_deleted_but_the_last_good_one(tmp_path: Path) -> None:
    made = gauntlet(tmp_path, TOP)
    versions = Versions(made.project)
    good = versions.take("mine", made.bots["mine"], made.project.folder)
    versions.keep({"mine": good})
    (tmp_path / "bot.py").write_text("2")
    other = versions.take("mine", made.bots["mine"], made.project.folder)
    copies = tmp_path / ".lapilli" / "versions"
    for copy in (good.copy, other.copy):
        os.utime(copies / copy, (0, 0))
    Versions(made.project).keep({})
    assert [copy.name for copy in copies.iterdir()] == [good.copy]
    (tmp_path / ".lapilli" / "last-good.json").write_text("{")
    with pytest.raises(LapilliError, match=r"last-good\.json is damaged: delete it"):
        Versions(made.project)


def test_saved_files_are_found_and_built_ones_are_not(tmp_path: Path) -> None:
    file = project(tmp_path, TOP)
    watch = FileWatch(file)
    watch.folders = [tmp_path]
    watch.remember()
    assert (watch.changed(), watch.number) == ([], 2)
    os.utime(tmp_path / "bot.py", (1, 1))
    assert watch.changed() == [], "only contents count"
    (tmp_path / "bot.py").write_text("new")
    (tmp_path / "more.py").write_text("new")
    file.write_text(TOP + "\n")
    assert watch.changed() == sorted(map(str, (tmp_path / "bot.py", tmp_path / "more.py", file)))
    with pytest.raises(FilesSaved):
        watch.check()
    watch.remember()
    (tmp_path / "more.py").unlink()
    assert watch.wait() == [str(tmp_path / "more.py")]

    def build() -> None:
        (tmp_path / "bot").write_bytes(os.urandom(8) + b"\0")

    watch.during(build)
    watch.during(build)
    assert watch.changed() == []

    def build_during_a_save() -> None:
        build()
        (tmp_path / "bot.py").write_bytes(os.urandom(8).hex().encode())

    watch.during(build_during_a_save)
    assert watch.changed() == [str(tmp_path / "bot.py")]
    watch.during(build_during_a_save)
    assert watch.changed() == [], "the build itself writes it"


def status_of(tmp_path: Path, text: str, scores: Sequence[float], **more: bool) -> CaseResult:
    """The result of a test whose matches the bot won (1), drew (0.5) or lost (0)."""
    [test] = gauntlet(tmp_path, text).tests
    test_sprt = WEAKER if more.get("weaker") else None
    verdict = verdict_of(tmp_path, scores, sprt=test_sprt, matches=len(scores))
    with Store.open(tmp_path / "arena.db") as store:
        return judged(test, "mine against greedy", verdict, store, 1.0)


def test_only_what_is_significant_fails(tmp_path: Path) -> None:
    wanted = TOP + "score = 0.5\n"
    bad = status_of(tmp_path, wanted, [0] * 40)
    assert bad.status == CaseStatus.FAILED
    assert bad.sentence.startswith("The score is below 50 %: 0.0 % (0.0 to ")
    assert status_of(tmp_path, TOP, [0] * 40).status == CaseStatus.PASSED


def test_a_bad_score_by_chance_passes(tmp_path: Path) -> None:
    good = status_of(tmp_path, TOP + "score = 0.5\n", [0, 1, 0] * 6)
    assert (good.status, good.sentence[:6]) == (CaseStatus.PASSED, "33.3 %")


def test_a_weaker_version_fails(tmp_path: Path) -> None:
    bad = status_of(tmp_path, TOP, [0] * 60, weaker=True)
    assert bad.status == CaseStatus.FAILED
    assert bad.sentence.startswith("Weaker than the last good version: ")


def test_an_equal_version_passes(tmp_path: Path) -> None:
    good = status_of(tmp_path, TOP, [0, 1] * 50, weaker=True)
    assert (good.status, good.sentence[:34]) == (CaseStatus.PASSED, "Not weaker as far as one can see: ")


def test_junit_xml_is_xml_whatever_a_bot_writes(tmp_path: Path) -> None:
    odd = "\x1b[31m <&> \ud800 \0 \uffff ü"
    cases = [
        CaseResult(group="build", name="mine", status=CaseStatus.ERROR, sentence="no", output=odd),
        CaseResult(group="t", name=odd, status=CaseStatus.FAILED, sentence=odd, output="words", seconds=1.5),
        CaseResult(group="t", name="b", status=CaseStatus.PASSED, sentence="fine"),
        CaseResult(group="t", name="c", status=CaseStatus.SKIPPED, sentence="nothing"),
    ]
    file = tmp_path / "results.xml"
    file.write_bytes(junit_xml(ProjectResult(cases=cases, kept=(), began=0.0, seconds=2.0)))
    whole = ElementTree.parse(file).getroot()
    assert (whole.get("tests"), whole.get("failures"), whole.get("errors"), whole.get("skipped")) == tuple("4111")
    builds, suite = whole.findall("testsuite")
    assert (builds.get("name"), suite.get("name"), suite.get("time")) == ("build", "t", "1.500")
    assert builds.findtext("testcase/system-err") == "\\x1b[31m <&> \\ud800 \\x00 \\uffff ü"
    assert [[child.tag for child in case] for case in suite] == [["failure", "system-err"], ["system-out"], ["skipped"]]
    assert not [*files_below(str(tmp_path))], "results do not belong to a bot"


def test_a_tests_openings_and_odds_reach_its_matches(tmp_path: Path) -> None:
    text = '[bots.mine]\nrun = "python3 bot.py"\n[[tests]]\ngame = "tictactoe"\nagainst = ["random"]\nmatches = 4\n'
    text += 'faults = 4\nopenings = "starts.txt"\nodds = { mine = 2, random = 0.5 }\n'
    (tmp_path / "starts.txt").write_text("X........\n")
    planned = gauntlet(tmp_path, text)
    (tmp_path / "bot.py").write_text("import sys\nfor line in sys.stdin: print('?', flush=True)\n")
    with Store.open(tmp_path / "arena.db") as store:
        ProjectRun(gauntlet=planned, store=store, jobs=1).run()
        (tmp_path / "bot.py").write_text("import sys\nfor line in sys.stdin: print('!', flush=True)\n")
        ProjectRun(gauntlet=planned, store=store, jobs=1).run()
        events = {event.name: event for event in store.events()}
        starts = {stored.result.position for one in events.values() for stored in store.results(one.id)}
        assert {name: event.settings["odds"] for name, event in events.items()} == {
            "mine against random": {"0": 2.0, "1": 0.5},
            "mine against its last good version": {"0": 2.0, "1": 2.0},
        }
    assert starts == {"X........"}
