"""The examples for learners, each in small."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lapilli
from cli.running import Started
from warm import Warm

LIBRARIES = ("torch", "sb3_contrib", "matplotlib", "nbclient", "ipykernel", "jax")
MISSING = [library for library in LIBRARIES if find_spec(library) is None]
if os.environ.get("CI"):  # there they must be
    assert not MISSING, MISSING
elif MISSING:
    pytest.skip(f"{MISSING[0]} is not installed: pip install 'lapilli[learning]'", allow_module_level=True)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "learning"
SMALL = ("--simulations", "8", "--search", "4", "--matches", "2", "--against", "random")
"""Options of `alphazero.py`."""


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    """A process that has loaded the libraries: that takes longer than all else that is done here."""
    started = Warm(
        modules=("torch", "torch.distributions", "sb3_contrib", "lapilli.envs.pettingzoo", "lapilli.envs.gymnasium")
    )
    try:
        yield started
    finally:
        started.close()


def weights_of(path: Path) -> dict[str, bytes]:
    """The weights in a file. The file's own bytes also have its name."""
    torch = pytest.importorskip("torch")
    return {name: part.numpy().tobytes() for name, part in torch.load(path, weights_only=True).items()}


def imported(example: str) -> Any:
    """The module of an example, which may import its companions."""
    if str(EXAMPLES) not in sys.path:
        sys.path.append(str(EXAMPLES))
    spec = spec_from_file_location(f"example_{example}", EXAMPLES / f"{example}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(warm: Warm, example: str, *options: str | Path) -> subprocess.CompletedProcess[str]:
    with Started(*options, warm=warm, program=EXAMPLES / example) as started:
        out, complaints = started.communicate(600)
        return subprocess.CompletedProcess(started.words, started.wait(), out, complaints)


def test_ppo_learns_and_plays(tmp_path: Path) -> None:
    """In a process that starts from nothing, as people start it."""
    small = ("--minutes", "0.01", "--envs", "8", "--matches", "2", "--save", str(tmp_path / "agent.pt"))
    command = [sys.executable, str(EXAMPLES / "ppo.py"), *small]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    first, *_, result, saved = done.stdout.splitlines()
    assert "384 actions" in first
    assert first.endswith(" (20 matches)")
    assert saved == f"saved to {tmp_path / 'agent.pt'}"
    assert result.startswith("kingdomino: Agent.best: ")
    assert result.endswith(" %; 4 matches")
    assert (tmp_path / "agent.pt").stat().st_size > 100_000


def test_the_same_method_of_ppo_is_measured_by_the_program_and_on_its_page() -> None:
    ppo = imported("ppo")
    agent = ppo.Agent.untrained("kingdomino")
    assert str(lapilli.evaluate(agent.best, "kingdomino", ["random"], matches=2)).startswith("kingdomino: Agent.best: ")
    games = lapilli.batch("kingdomino", 4, seed=3)
    assert agent.best(games.observations, games.legal)[1] == agent.play(games.state(1))


def test_ppo_is_repeatable_by_seed_and_actions(warm: Warm, tmp_path: Path) -> None:
    """On one thread, the same seed gives the same bits, and another seed others. The table has all rounds."""
    agents, tables = [], []
    for number, seed in enumerate((1, 1, 2)):
        agent, log = tmp_path / f"{number}.pt", tmp_path / f"{number}.csv"
        small = ("--actions", "500", "--envs", "8", "--matches", "2", "--seed", str(seed))
        done = run(warm, "ppo.py", *small, "--save", agent, "--log", log)
        assert done.returncode == 0, done.stderr
        agents.append(weights_of(agent))
        rows = [line.split(",") for line in log.read_text(encoding="utf-8").splitlines()]
        assert rows[0] == ["actions", "minutes", "entropy", "random", "level2"]
        assert [row[0] for row in rows[1:]] == ["384", "768"]
        tables.append([[*row[:1], *row[2:]] for row in rows])
    assert agents[0] == agents[1] != agents[2]
    assert tables[0] == tables[1] != tables[2]


def test_ppo_learns_a_game_with_lists_of_actions_and_turns_at_once(warm: Warm, tmp_path: Path) -> None:
    small = ("--actions", "90", "--envs", "2", "--matches", "2", "--save", tmp_path / "agent.pt")
    done = run(warm, "ppo.py", "--game", "tryangle", *small)
    assert done.returncode == 0, done.stderr
    first, *_, result, _ = done.stdout.splitlines()
    assert " 96 actions, entropy " in first
    assert result.startswith("tryangle: Agent.best: ")
    assert (tmp_path / "agent.pt").stat().st_size > 1_000_000


def test_ppo_chooses_the_same_of_a_mask_and_of_a_list() -> None:
    ppo = imported("ppo")
    agent = ppo.Agent.untrained("kingdomino")
    games = lapilli.batch("kingdomino", 8, seed=3)
    for _ in range(9):
        games.step(games.sample())
    legal = np.full((8, 300), -1, np.int32)
    for row, mask in zip(legal, games.legal, strict=True):
        row[: mask.sum()] = np.flatnonzero(mask)
    assert agent.best(games.observations, legal).tolist() == agent.best(games.observations, games.legal).tolist()


def test_ppo_plays_against_past_selves(warm: Warm) -> None:
    done = run(warm, "ppo.py", "--actions", "500", "--envs", "8", "--matches", "2", "--pool")
    assert done.returncode == 0, done.stderr
    *rated, result = [line.split()[0] for line in done.stdout.splitlines() if " Elo (" in line]
    assert sorted(rated) == ["0", "384", "768"]
    assert result == "kingdomino:"


def test_alphazero_learns_and_plays(warm: Warm, tmp_path: Path) -> None:
    agents = []
    for number in range(2):
        agent, log = tmp_path / f"{number}.pt", tmp_path / f"{number}.csv"
        small = ("--game", "kingdomino", "--actions", "800", "--envs", "16", "--seed", "3", *SMALL)
        done = run(warm, "alphazero.py", *small, "--save", agent, "--log", log)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].startswith("kingdomino: Player: ")
        assert done.stdout.splitlines()[-1].endswith("; 2 matches")
        rows = log.read_text(encoding="utf-8").splitlines()
        assert rows[0] == "done,minutes,seconds,actions,games,policy_loss,value_loss,random"
        assert rows[-1].split(",")[3] == "896"
        assert float(rows[-1].split(",")[5]) > 0
        agents.append(weights_of(agent))
    assert agents[0] == agents[1], "the same seed gives the same bits"


def test_alphazero_goes_on_with_a_network_that_was_saved(warm: Warm, tmp_path: Path) -> None:
    small = ("--actions", "200", "--envs", "32", *SMALL)
    done = run(warm, "alphazero.py", *small, "--load", EXAMPLES / "alphazero_volcanoes.pt", "--save", tmp_path / "a.pt")
    assert done.returncode == 0, done.stderr
    assert weights_of(tmp_path / "a.pt").keys() == weights_of(EXAMPLES / "alphazero_volcanoes.pt").keys()
    done = run(warm, "alphazero.py", "--load", tmp_path / "none.pt")
    assert done.returncode == 2
    assert done.stderr.endswith(f"error: --load: there is no file {tmp_path / 'none.pt'}\n")


@pytest.mark.parametrize("written", [b"", b"no network", b"PK\x03\x04", {"weights": 1}, [1], {"most": 1}])
def test_alphazero_says_in_one_line_that_a_file_is_no_network_of_its_own(
    warm: Warm, written: object, tmp_path: Path
) -> None:
    file = tmp_path / "a.pt"
    if isinstance(written, bytes):
        file.write_bytes(written)
    else:
        pytest.importorskip("torch").save(written, file)
    done = run(warm, "alphazero.py", "--load", file)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    expected = f"alphazero.py: error: --load: {file} is no network of this program for volcanoes"
    assert done.stderr.splitlines()[-1] == expected


def test_alphazero_goes_on_with_no_network_of_another_game(warm: Warm) -> None:
    file = EXAMPLES / "alphazero_volcanoes.pt"
    done = run(warm, "alphazero.py", "--load", file, "--game", "kingdomino")
    assert done.returncode == 2
    assert done.stderr.endswith(f"error: --load: {file} is no network of this program for kingdomino\n")


def test_a_symmetric_network_moves_its_logits_as_the_board_is_moved() -> None:
    alphazero = imported("alphazero")
    network = alphazero.new_network("volcanoes").eval()
    games = lapilli.batch("volcanoes", 16, seed=5)
    for _ in range(20):
        games.step(games.sample())
    logits, values = alphazero.evaluate(network, games.observations, games.legal)
    assert logits.std() > 0.01, "the network tells actions apart"
    symmetries = games.game.symmetries(games.setup)
    for symmetry in symmetries[:: len(symmetries) // 7]:
        moved = np.ascontiguousarray(games.observations[:, symmetry.places])
        logits_moved, same_values = alphazero.evaluate(network, moved, games.legal)
        np.testing.assert_allclose(logits_moved, logits[:, np.argsort(symmetry.actions)], atol=1e-4)
        np.testing.assert_allclose(same_values, values, atol=1e-5)


def test_the_weights_that_are_shipped_play_well() -> None:
    alphazero, torch = imported("alphazero"), pytest.importorskip("torch")
    torch.set_num_threads(1)
    weights = EXAMPLES / "alphazero_volcanoes.pt"
    assert weights.stat().st_size <= 1_000_000
    player = alphazero.Player(alphazero.new_network("volcanoes", weights), 16)
    result = lapilli.evaluate(player, "volcanoes", ["level4"], matches=20, lost=0)
    assert result.results["level4"].score >= 0.6, "85 % of 40 matches"


JAX = """
import jax, numpy as np, lapilli
import jax_rollout
games, plain = (lapilli.batch("kingdomino", 4, seed=5) for _ in range(2))
weights = jax.random.normal(jax.random.PRNGKey(0), (games.game.observation.size, games.game.num_distinct_actions))
rollout = jax_rollout.compiled_rollout(games, 60)
for key in (1, 2):
    actions, arrays = rollout(weights, jax.random.PRNGKey(key))
    for step, chosen in enumerate(np.asarray(actions)):
        plain.step(chosen, strict=True)
        for name, array in arrays._asdict().items():
            assert np.array_equal(array[step], getattr(plain, name)), (key, step, name)
print(int(arrays.terminated.sum()))
"""


def test_a_rollout_in_jax_plays_as_a_loop_in_numpy() -> None:
    """Over two calls of the compiled loop, and over ends of games."""
    command = [sys.executable, "-c", JAX]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_jax_shares_the_memory_of_a_batch() -> None:
    small = ("--envs", "3", "--steps", "2")  # so few games that no array happens to be aligned
    command = [sys.executable, str(EXAMPLES / "jax_rollout.py"), *small]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("without a copy: True\n")


@pytest.mark.parametrize("example", ["alphazero.py", "ppo.py", "maskable.py"])
def test_what_cannot_be_is_refused_before_anything_is_learned(warm: Warm, example: str, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere" / "agent"
    for words in ("--minutes 0", "--matches 0", f"--save {nowhere}"):
        done = run(warm, example, *words.split())
        assert done.returncode == 2
        assert "error: --" in done.stderr.splitlines()[-1]


def test_a_missing_gpu_is_told_in_one_line(warm: Warm) -> None:
    if pytest.importorskip("torch").cuda.is_available():
        pytest.skip("there is a GPU")
    done = run(warm, "alphazero.py", "--device", "cuda")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("alphazero.py: error: --device: this machine has no usable CUDA GPU")


@pytest.mark.parametrize("example", ["alphazero.py", "maskable.py"])
def test_a_game_that_cannot_be_learned_is_refused_and_not_offered(warm: Warm, example: str) -> None:
    done = run(warm, example, "--game", "tryangle", "--minutes", "0.01")
    assert done.returncode == 2
    assert "invalid choice: 'tryangle'" in done.stderr
    usage, _, _ = done.stderr.partition("error:")
    assert "tryangle" not in usage


@pytest.mark.parametrize("game", [(), ("--game", "volcanoes")])
def test_a_library_learns_by_pettingzoos_interface(warm: Warm, game: tuple[str, ...], tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    small = ("--actions", "10", "--seed", "1", "--matches", "2", "--log", log)  # and one lesson at least
    done = run(warm, "maskable.py", *game, *small, "--save", tmp_path / "agent.zip")
    assert done.returncode == 0, done.stderr
    *_, actions, random, level2 = done.stdout.splitlines()
    assert actions == "4,104 actions of its own"
    assert random.startswith("against random: ")
    assert level2.endswith(" of 2 matches")
    assert (tmp_path / "agent.zip").stat().st_size > 1_000_000
    header, first, *_ = log.read_text(encoding="utf-8").splitlines()
    assert (header, first.split(",")[0]) == ("actions,minutes,random,level2", "8")


NOTEBOOK = """
import sys, warnings
warnings.simplefilter("ignore")
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
for cell in notebook.cells:
    for output in cell.get("outputs", ()):
        print(output["output_type"], *sorted(output.get("data", ())))
"""
PLOT, PAGE = "display_data image/png text/plain", "execute_result text/html text/plain"
POSITION, VALUE = "execute_result image/svg+xml text/plain", "execute_result text/plain"
NOTEBOOKS = {
    "learning/curves.ipynb": [PLOT, PAGE, POSITION],
    "notebooks/first_steps.ipynb": [VALUE, PAGE, POSITION, VALUE],
    "notebooks/compare_and_tune.ipynb": [VALUE, PAGE],
    "notebooks/stored_matches.ipynb": [VALUE, PLOT, PAGE],
}
"""What the notebooks show besides text, in small."""


def test_all_notebooks_are_here() -> None:
    assert {str(path.relative_to(EXAMPLES.parent)) for path in EXAMPLES.parent.rglob("*.ipynb")} == set(NOTEBOOKS)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_runs_and_shows_what_it_says(notebook: str) -> None:
    file = EXAMPLES.parent / notebook
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK, file.name],
        cwd=file.parent,
        env={**os.environ, "MINUTES": "0.01", "MATCHES": "20"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown = [line for line in done.stdout.splitlines() if not line.startswith("stream")]
    assert shown == NOTEBOOKS[notebook]
