"""Adding records to files: no stored record is ever lost, and a long file takes no more time than a short one."""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import lapilli
from lapilli.core.errors import RecordError
from lapilli.match.files.packed import ending, member
from lapilli.match.files.writing import check_writable
from lapilli.match.record import FORMAT, Record

RECORD = Record(format=FORMAT, game="volcanoes")


def seeded(seed: int) -> Record:
    return Record(format=FORMAT, game="volcanoes", setup={"seed": seed})


def seeds(file: Path) -> list[int]:
    return [record.setup["seed"] for record in lapilli.load_records(file)]


def test_every_reader_of_gzip_reads_what_was_added(tmp_path: Path) -> None:
    file = tmp_path / "season.jsonl.gz"
    for seed in range(4):
        seeded(seed).save(file)
    text = gzip.decompress(file.read_bytes())
    assert text.count(b"\n") == 4
    for command in (["gzip", "-t", str(file)], ["gzip", "-dc", str(file)]):
        if shutil.which("gzip"):
            done = subprocess.run(command, capture_output=True, check=True)
            assert (done.stderr, done.stdout) == (b"", b"" if "-t" in command else text)


READ_BY_ADDING = """\
import os, sys
from lapilli.match.record import Record
record = Record(format="lapilli-record/1", game="volcanoes")
def bytes_read():
    return int(open("/proc/self/io").read().split("rchar: ")[1].split()[0])
record.save(sys.argv[2])  # loads everything that is loaded on first use
before = bytes_read()
record.save(sys.argv[1])
print(bytes_read() - before)
"""


@pytest.mark.parametrize("name", ["season.jsonl", "season.jsonl.gz"])
def test_adding_reads_no_more_of_a_long_file(tmp_path: Path, name: str) -> None:
    """Only the first addition to a file that another program wrote reads the whole file."""

    def read_by_adding() -> int:
        command = [sys.executable, "-c", READ_BY_ADDING, str(tmp_path / name), str(tmp_path / f"other-{name}")]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    foreign = b'{"format": "lapilli-record/1", "game": "volcanoes"}\n' + os.urandom(3 << 20).hex().encode() + b"\n"
    (tmp_path / name).write_bytes(gzip.compress(foreign, 1) if name.endswith(".gz") else foreign)
    read_by_adding()
    assert (tmp_path / name).stat().st_size > 3 << 20
    assert read_by_adding() < 300_000


@pytest.mark.parametrize("kept", [1, 10, 16, 19, 20, 21, 40, -9, -1])
def test_what_a_killed_process_left_of_a_record_is_cut_off(tmp_path: Path, kept: int) -> None:
    file = tmp_path / "season.jsonl.gz"
    for seed in range(3):
        seeded(seed).save(file)
    torn = member(b"a record that was never said to be saved\n")[:kept]
    file.write_bytes(file.read_bytes() + torn)
    check_writable(file)
    seeded(3).save(file)
    assert seeds(file) == [0, 1, 2, 3]


def test_what_was_there_alone_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "season.jsonl.gz"
    file.write_bytes(member(b"first\n")[:30])
    seeded(0).save(file)
    assert seeds(file) == [0]


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def test_what_is_not_only_the_beginning_of_a_record_is_refused_and_kept(tmp_path: Path) -> None:
    """The file's end may be data that the user still needs.

    Cases: a complete but damaged last record, another program's member that was cut short, and text that is not gzip.
    """
    file = tmp_path / "season.jsonl.gz"
    for seed in range(3):
        seeded(seed).save(file)
    whole = file.read_bytes()
    foreign = gzip.compress(os.urandom(1000))
    for data in (flipped(whole, len(whole) - 1), whole + foreign[:-1], whole + b"hello", foreign[:-1], b"hello"):
        file.write_bytes(data)
        for act in (check_writable, seeded(4).save):
            with pytest.raises(RecordError, match=r"cannot add to .*damaged gzip file \(no whole member at byte \d+\)"):
                act(file)
        assert file.read_bytes() == data


def test_members_of_others_may_come_between(tmp_path: Path) -> None:
    file = tmp_path / "season.jsonl.gz"
    seeded(0).save(file)
    for seed, end in ((1, b"\n"), (3, b"")):
        foreign = b'{"format": "lapilli-record/1", "game": "volcanoes", "setup": {"seed": %d}}' % seed + end
        file.write_bytes(file.read_bytes() + gzip.compress(foreign) + gzip.compress(b""))
        seeded(seed + 1).save(file)
    assert seeds(file) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("last", [b"", b"\n", b"x", b"x\n", os.urandom(200_000), os.urandom(200_000) + b"\n"])
@pytest.mark.parametrize("packed", [member, gzip.compress])
def test_how_a_file_ends(tmp_path: Path, last: bytes, packed: type) -> None:
    file = tmp_path / "some.gz"
    file.write_bytes(member(b"first\n") + packed(last))
    with open(file, "rb") as opened:
        assert ending(opened, "") == (file.stat().st_size, last[-1:] in (b"", b"\n"))


KILLED = """\
import os, sys
from lapilli.match.record import Record
record = Record(format="lapilli-record/1", game="volcanoes", setup={"seed": 7})
print(flush=True)
while True:
    record.save(sys.argv[1])
"""


@pytest.mark.parametrize("name", ["season.jsonl.gz", "season.jsonl"])
def test_killing_loses_nothing_that_was_there(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    kept = 0
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", KILLED, str(file)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        while not file.exists() or file.stat().st_size < (kept + 20) * 50:
            assert writer.poll() is None
        writer.kill()
        writer.communicate()
        RECORD.save(file)
        number = len(list(lapilli.load_records(file)))
        assert number > kept
        kept = number


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.jsonl", "a.jsonl.gz"])
def test_a_saved_record_is_on_the_disk(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is synced first. Its folder is synced once it contains the file's name."""
    synced: list[tuple[bool, int]] = []  # whether it is a folder, and the size of a file
    fsync = os.fsync

    def watch(descriptor: int) -> None:
        status = os.fstat(descriptor)
        is_folder = stat.S_ISDIR(status.st_mode)
        synced.append((is_folder, 0 if is_folder else status.st_size))
        assert not is_folder or (tmp_path / name).exists()
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    RECORD.save(tmp_path / name)
    size = (tmp_path / name).stat().st_size
    assert synced == [(False, size), (True, 0)]
    RECORD.save(tmp_path / name)
    assert synced[2] == (False, (tmp_path / name).stat().st_size)


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_new_files_have_the_permissions_that_users_expect(tmp_path: Path, name: str, mask: int) -> None:
    before = os.umask(mask)
    try:
        RECORD.save(tmp_path / name)
    finally:
        os.umask(before)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o666 & ~mask
    (tmp_path / name).chmod(0o640)
    RECORD.save(tmp_path / name)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o640, "a file that was there keeps them"


def test_saving_leaves_the_umask_of_other_threads_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The umask belongs to the whole process: a change would affect files that other threads create."""

    def refuse(mask: int) -> int:
        raise AssertionError("the process's umask was touched")

    monkeypatch.setattr(os, "umask", refuse)
    for name in ("a.json", "a.jsonl", "a.json.gz", "a.jsonl.gz"):
        RECORD.save(tmp_path / name)
