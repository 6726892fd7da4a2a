"""Files of weights that somebody else wrote: each gives weights or one line, and none takes more memory than a real
one."""

from __future__ import annotations

import bz2
import io
import os
import random
import re
import struct
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from lapilli.core.errors import LapilliError
from lapilli.core.search.policy import policy_of, read_weights, write_weights
from lapilli.games import load

GAME = load("volcanoes")
PATTERNS = policy_of(GAME).patterns
FUZZ_S = float(os.environ.get("LAPILLI_FUZZ_S", "5"))
HUGE = "(25000000000,)"
"""A shape of 100 GB as 32-bit numbers."""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("real") / "weights.npz"
    with file.open("wb") as written:
        write_weights(written, GAME, np.random.default_rng(1).normal(size=PATTERNS).astype(np.float32))
    return file.read_bytes()


def npy(header: str, data: bytes = b"\0" * 64, version: bytes = b"\x01\x00") -> bytes:
    """A file of one array, with any text as its header."""
    text = header.encode("latin-1")
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text + data


def described(descr: str = "'<f2'", shape: str = f"({PATTERNS},)") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as parts:
        warnings.simplefilter("ignore")  # two members of one name are wanted here
        for name, data in members:
            parts.writestr(name, data)
    return out.getvalue()


def of_game(array: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A file of weights, whose array is this."""
    name = io.BytesIO()
    np.save(name, np.array(GAME.name))
    return zipped(("game.npy", name.getvalue()), ("weights.npy", array), method=method)


def bomb(method: int) -> bytes:
    """A small file whose array declares as little as a real one and unpacks to 512 MB, more than a process below may
    have."""
    packed = of_game(b"\0" * (1 << 20), method)
    if method == zipfile.ZIP_DEFLATED:
        return packed.replace(struct.pack("<I", 1 << 20), struct.pack("<I", 2 * PATTERNS))
    compressor = bz2.BZ2Compressor()
    small = b"".join(compressor.compress(bytes(1 << 20)) for _ in range(1 << 9)) + compressor.flush()
    start = packed.rindex(b"weights.npy", 0, packed.index(b"PK\x01\x02")) + len("weights.npy")
    directory = packed.index(b"PK\x01\x02")
    place, end = packed[directory:], packed.rindex(b"PK\x05\x06") - directory
    last = place.rindex(b"PK\x01\x02", 0, end)
    entry = bytearray(place)
    struct.pack_into("<II", entry, last + 20, len(small), 2 * PATTERNS + 128)
    struct.pack_into("<I", entry, end + 16, start + len(small))
    return packed[:start] + small + bytes(entry)


ODD = {
    "nested": npy(described(shape="(" * 500)),
    "nested until the end": npy("(((((((((("),
    "nested far": npy("(" * 60_000),
    "signs": npy(described(shape="-" * 900 + "1")),
    "an open string": npy("{'descr': '''"),
    "an indent": npy("  {\n\t'descr'\n : }\n   )"),
    "a backslash": npy("{'descr': '<f2'}\\"),
    "zero bytes": npy("\0" * 100),
    "no dictionary": npy("[]"),
    "keys that cannot be sorted": npy("{1: 2, 'shape': 3, None: 4}"),
    "unhashable": npy("{[]: 1}"),
    "an odd type": npy(described(descr="[[[[('a', 'O')]]]]")),
    "objects": npy(described(descr="'|O'")),
    "no bytes each": npy(described(descr="'|V0'", shape="(1152921504606846976,)")),
    "100 GB": npy(described("'<f4'", HUGE)),
    "100 GB in one": npy(described("'|V2147483647'", "(50,)")),
    "less than nothing": npy(described(shape="(-1,)")),
    "more than can be counted": npy(described(shape=f"({10**40},)")),
    "many dimensions": npy(described(shape="(" + "1," * 400 + ")")),
    "another version": npy(described(), version=b"\x09\x00"),
    "a long header": npy(" " * 65_000 + described()),
    "more than the header says": npy(described(), bytes(2 * PATTERNS + 2)),
    "cut": b"\x93NUM",
    "nothing": b"",
}
FILES: dict[str, Callable[[], bytes]] = {
    **{name: partial(of_game, array) for name, array in ODD.items()},
    "a name of 4 GB": lambda: zipped(("game.npy", npy(described("'<U1000000000'", "()"))), ("weights.npy", b"")),
    "members": lambda: zipped(*((f"{number}.npy", b"") for number in range(5000))),
    "one name many times": lambda: zipped(*(("game.npy", b"x") for _ in range(2000))),
    "bzip2": lambda: bomb(zipfile.ZIP_BZIP2),
    "deflated": lambda: bomb(zipfile.ZIP_DEFLATED),
    "lzma": lambda: of_game(npy(described()), zipfile.ZIP_LZMA),
}
"""How each file is made: one takes seconds."""


@cache
def file_of(name: str) -> bytes:
    """What such a file holds."""
    return FILES[name]()


@pytest.fixture
def odd(request: pytest.FixtureRequest) -> bytes:
    """A file, made before memory is measured."""
    return file_of(request.param)


@pytest.fixture
def measured(odd: bytes) -> Iterator[None]:
    """Python's and NumPy's own memory meanwhile is bounded by some times that of real weights."""
    tracemalloc.start()
    yield
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < (8 << 20) + 40 * PATTERNS


def answer(data: bytes, file: Path) -> str:
    """The message, "" where the file holds weights; an error of another kind fails the test."""
    file.write_bytes(data)
    try:
        assert read_weights(GAME, file).shape == (PATTERNS,)
    except LapilliError as error:
        said = str(error)
    else:
        return ""
    assert "\n" not in said
    assert len(said) < 400
    return said


@pytest.mark.parametrize("odd", FILES, indirect=True)
@pytest.mark.usefixtures("measured")
def test_an_odd_file_of_weights_is_refused_in_one_line(odd: bytes, tmp_path: Path) -> None:
    assert f"{tmp_path / 'odd.npz'}: no valid weights: " in answer(odd, tmp_path / "odd.npz")


MEASURED = """
import sys
from pathlib import Path
from lapilli.__main__ import main
try:
    main()
finally:
    print(Path("/proc/self/status").read_text())
"""


def test_a_bomb_takes_no_memory_and_the_command_says_one_line(tmp_path: Path) -> None:
    """As a user sees it, in a process that may have little: what it decompresses is outside of Python's own memory."""
    file = tmp_path / "bomb.npz"
    for name in ("bzip2", "100 GB", "nested until the end"):
        file.write_bytes(file_of(name))
        words = [sys.executable, "-c", MEASURED, "match", "volcanoes", f"best:weights={file}", "random"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert done.stderr.startswith(f"lapilli: {file}: no valid weights: ")
        peak = re.search(r"^VmHWM:\s+(\d+) kB$", done.stdout, re.MULTILINE)
        assert peak is not None
        assert int(peak[1]) < 400 << 10


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.npz"
    os.mkfifo(pipe)
    for place in (pipe, Path("/dev/zero")):
        with pytest.raises(LapilliError, match="it is not a regular file"):
            read_weights(GAME, place)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with some bits flipped, cut, doubled, or with text put into a header; packed anew or not."""
    if chance.random() < 0.5:  # within an array, with the checksum right
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            arrays = {part.filename: parts.read(part) for part in parts.infolist()}
        name = chance.choice(list(arrays))
        arrays[name] = mutated(arrays[name], 128, chance)
        return zipped(*arrays.items())
    return mutated(data, len(data), chance)


def mutated(data: bytes, within: int, chance: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(max(1, min(within, len(out))))
        kind = chance.randrange(4)
        if kind == 0:
            out[place : place + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del out[place:]
        elif kind == 2:
            out[place:place] = chance.choice([b"(" * chance.randrange(400), b"'", b"9" * 30, b"\\", b"-", b"\n", b"L"])
        else:
            out[place : place + chance.randrange(64)] = chance.randbytes(chance.randrange(64))
    return bytes(out)


def test_weights_damaged_at_random_are_weights_or_one_line(real: bytes, tmp_path: Path) -> None:
    """Five seconds of it; LAPILLI_FUZZ_S says how many. The seed is in the message of a failure."""
    from time import monotonic

    end, seed, refused = monotonic() + FUZZ_S, 0, 0
    while monotonic() < end:
        seed += 1
        try:
            refused += bool(answer(damaged(real, random.Random(seed)), tmp_path / "fuzzed.npz"))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
    assert 0 < refused <= seed
