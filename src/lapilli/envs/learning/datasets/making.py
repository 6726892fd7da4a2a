"""Makes the file of a data set.

The matches are played in parts, and each finished part is stored in a file. If the command is interrupted and run
again, it continues after the last stored part. At the end, the parts are joined into one file.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from lapilli.core.errors import LapilliError
from lapilli.core.reading.array_files import read_arrays
from lapilli.envs.learning.datasets.dataset import ABOUT, Summary, plan_of, read_plan, summary
from lapilli.envs.learning.datasets.playing import LISTS, ROWS, Plan, match_arrays
from lapilli.match.files.writing import replaced
from lapilli.workers.mappers import Mapper

PART = 32
"""Number of matches in a part."""
_NAMES = (*ROWS, *LISTS)


def make_dataset(plan: Plan, out: Path, run: Mapper, show: Callable[[int, int], object] = lambda *_: None) -> Summary:
    """Plays the matches of a data set, and writes their turns to the file `out`.

    Until the file is complete, the finished parts are stored in the folder `NAME.parts` beside it. If that folder has
    parts of an interrupted call with the same plan, only the missing parts are played. If the file exists already and
    has the same plan, nothing is played.

    Args:
        plan: what the data set consists of.
        out: the file, an archive of arrays as `numpy.savez_compressed` writes it.
        run: function like `map`, which plays the matches, for example in several processes.
        show: called after each match with the numbers of matches played and to be played.

    Returns:
        The number of turns in the data set, and its hash.

    Raises:
        LapilliError: the plan is not valid, or the file or the folder belongs to another data set.
        RecordError: the file cannot be written.
    """
    plan.search()
    if out.exists():
        _check_same(plan, plan_of(out), out)
        return summary(out)
    folder = out.with_name(f"{out.name}.parts")
    _begin(plan, folder)
    parts = []
    for first in range(0, plan.matches, PART):
        numbers = range(first, min(first + PART, plan.matches))
        parts.append(folder / f"{first:09}.npz")
        if not parts[-1].exists():
            _play_part(plan, numbers, parts[-1], run, lambda done: show(done, plan.matches))
        show(numbers.stop, plan.matches)
    _join(plan, parts, out)
    shutil.rmtree(folder)
    return summary(out)


def _begin(plan: Plan, folder: Path) -> None:
    about = folder / "about.json"
    try:
        folder.mkdir(exist_ok=True)
        if about.exists():
            _check_same(plan, read_plan(about.read_text(encoding="utf-8"), about), folder)
            return
    except (OSError, ValueError) as error:
        raise LapilliError(f"cannot use the folder {folder}: {error}") from None
    with replaced(about) as file:
        file.write(json.dumps(asdict(plan)).encode())


def _check_same(plan: Plan, other: Plan, place: Path) -> None:
    different = [name for name, value in asdict(plan).items() if asdict(other)[name] != value]
    if different:
        was = ", ".join(f"{name} {asdict(other)[name]}" for name in different)
        raise LapilliError(f"{place} belongs to another data set ({was}): remove it, or name another --out")


def _play_part(plan: Plan, numbers: range, file: Path, run: Mapper, show: Callable[[int], object]) -> None:
    played = []
    for done, arrays in enumerate(run(partial(match_arrays, plan), numbers), numbers.start + 1):
        played.append(arrays)
        show(done)
    with replaced(file) as stream:
        joined: dict[str, Any] = {name: np.concatenate([one[name] for one in played]) for name in _NAMES}
        np.savez_compressed(stream, **joined)


def _join(plan: Plan, parts: list[Path], out: Path) -> None:
    """Joins the files `parts`: writes the plan, and each array, concatenated from all parts, to the file `out`.

    At no time is more than one array of one part in memory.
    """
    with replaced(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(f"{ABOUT}.npy", "w") as stream:
            npy.write_array(stream, np.array(json.dumps(asdict(plan))))
        for name in _NAMES:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                _write_joined(name, parts, stream)


def _write_joined(name: str, parts: list[Path], stream: Any) -> None:
    first = _array(parts[0], name)
    count = sum(len(_array(part, ROWS[0] if name in ROWS else name)) for part in parts)
    descr = npy.dtype_to_descr(first.dtype)
    npy.write_array_header_2_0(stream, {"descr": descr, "fortran_order": False, "shape": (count, *first.shape[1:])})
    for part in parts:
        stream.write(_array(part, name).tobytes())


def _array(part: Path, name: str) -> Any:
    try:
        [array] = read_arrays(part, name)
    except ValueError as error:
        raise LapilliError(f"cannot read {part} ({error}): remove it, and run the same command again") from None
    return array
