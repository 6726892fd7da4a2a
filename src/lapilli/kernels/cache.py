"""Where the kernels' machine code is kept on disk, and what decides that it is still true.

Numba's own cache looks only at the file of the function itself, so an edited *callee* in another file would leave stale
code behind. Here the name of a cache folder depends on everything that its kernels can be made of: every file of
Lapilli's, and of games elsewhere, that theirs imports, straight or through others, and the versions of Lapilli and of
the compiler. A folder whose name no source leads to any more is thrown away when the next one is made.
"""

from __future__ import annotations

import ast
import errno
import fcntl
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lapilli.kernels.folder_trust import private_folder, why_open, why_untrusted
from lapilli.kernels.source_folders import ELSEWHERE

ROOT = Path(__file__).resolve().parents[2]
"""The folder that the package lies in."""
NO_DESCRIPTOR = (errno.EMFILE, errno.ENFILE)
"""The errors that say that neither this process, nor the system, has a descriptor left."""
_MADE_OF = "made-of.json"
_IMPORTS = "imports.json"
_MOST_REMEMBERED = 5000
"""Of so many files' contents the imports are remembered; then all are read again."""


def folder_of(function: Callable[..., object]) -> Path:
    """The folder for the code of a function."""
    made_on = function.__globals__.get("__made_on__", ())  # see `instantiate`
    return cache_folder(_resolved(function.__code__.co_filename), *made_on)


@cache
def _resolved(name: str) -> Path:
    """A source file by its name; it has many kernels."""
    return Path(name).resolve()


@contextmanager
def claimed(function: Callable[..., object]) -> Iterator[None]:
    """Inside, no other process that does likewise is at work on this function: it waits, and finds the result."""
    with ExitStack() as stack:
        with suppress(OSError):  # without it, both work
            file = os.open(folder_of(function) / f"{function.__name__}.claim", os.O_RDWR | os.O_CREAT, 0o600)
            stack.callback(os.close, file)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def cache_folder(*files: Path) -> Path:
    """The folder for machine code that is made from these files and from all that they build on; it exists."""
    _use()
    folder = cache_base() / _name(ROOT, files)
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=cache_base(), prefix=".new-") as place:
            made = Path(place) / "folder"
            made.mkdir()
            places = {"root": str(ROOT), "elsewhere": list(map(str, ELSEWHERE)), "files": list(map(str, files))}
            (made / _MADE_OF).write_text(json.dumps({**places, "python": sys.prefix}))
            with suppress(OSError):  # another process was faster
                made.rename(folder)
        _throw_stale_away()
    return folder


@cache
def cache_base() -> Path:
    """Where machine code is kept: the user's cache; without a home that can be written to, a folder for this process
    alone. Machine code is unpickled, which runs it, so it never comes from a place where others can write: then it is
    kept in the user's home, or for this process alone, and a line on stderr says so."""
    chosen = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder, why = _opened(chosen)
    if why:
        folder, _ = _opened("~/.cache")
    folder = folder or private_folder() / "lapilli"
    folder.mkdir(exist_ok=True)
    if why:
        print(
            f"lapilli: {why}, or name another folder in NUMBA_CACHE_DIR; kernels are kept in {folder}", file=sys.stderr
        )
    return folder


def _opened(place: str) -> tuple[Path | None, str]:
    """Our folder below a place, ready to be used, or None; and why other users are in the way, if they are."""
    try:
        folder = Path(place).expanduser().resolve() / "lapilli"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if why := why_untrusted(folder) or _why_open_within(folder):
            return None, why
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as error:
        if getattr(error, "errno", None) in NO_DESCRIPTOR:  # nothing is wrong with the folder
            raise
        return None, ""
    return folder, ""


def _why_open_within(base: Path) -> str:
    """Says what is wrong with a folder for machine code, or with one in it that Numba makes; "" where nothing is."""
    for folder in filter(Path.is_dir, base.iterdir()):
        with suppress(FileNotFoundError):  # another process may throw it away
            for place in (folder, *filter(Path.is_dir, folder.iterdir())):
                if why := why_open(place):
                    return why
    return ""


def current_folders() -> list[Path]:
    """The folders that hold the machine code of these sources, by this interpreter and these versions. What else lies
    in `cache_base()` belongs to other checkouts, or is stale."""
    return [folder for folder in cache_base().iterdir() if folder.is_dir() and _is_current(folder)]


def cache_size() -> int:
    """How many bytes the machine code takes that is kept there, of all games."""
    size = 0
    for file in cache_base().rglob("*"):
        with suppress(OSError):  # another process may throw some away
            size += file.stat().st_size if file.is_file() else 0
    return size


def sources_of(file: Path, root: Path = ROOT, elsewhere: tuple[Path, ...] = ELSEWHERE) -> set[Path]:
    """`file` and the files that it imports, straight or through others: of the package below `root`, and of games in
    the folders `elsewhere`."""
    remembered = len(_remembered())
    reached: set[Path] = set()
    queue = [file]
    while queue:
        source = queue.pop()
        if source not in reached:
            reached.add(source)
            queue += _targets(source, root, elsewhere)
    if len(_remembered()) > remembered:
        _write_remembered()
    return reached


# ------------------------------------------------------------------------------------------ the key


def _name(root: Path, files: tuple[Path, ...], elsewhere: tuple[Path, ...] = ELSEWHERE) -> str:
    digest = hashlib.sha256(_versions().encode())
    for source in sorted(set().union(*(sources_of(file, root, elsewhere) for file in files))):
        place = source.relative_to(root) if source.is_relative_to(root) else source
        digest.update(f"\0{place}\0".encode() + _read(source))
    return "-".join([*(".".join(file.with_suffix("").parts[-3:]) for file in files), digest.hexdigest()[:16]])


@cache
def _read(source: Path) -> bytes:
    return source.read_bytes()


@cache
def _versions() -> str:
    """The versions of all that turns a kernel's source into machine code."""
    versions = []
    for package in ("lapilli", "numba", "llvmlite", "numpy"):
        with suppress(PackageNotFoundError):  # Lapilli itself may run from a folder
            versions.append(f"{package} {version(package)}")
    return ", ".join([f"python {sys.version}", *versions])


# Imports are written "module:name", "module:" for a whole module; leading dots stand for the file's own package.


@cache
def _targets(source: Path, root: Path, elsewhere: tuple[Path, ...]) -> tuple[Path, ...]:
    """The files that a file imports."""
    return tuple(file for name in _imports(source) for file in _files_of(name, source, root, elsewhere))


def _files_of(imported: str, importer: Path, root: Path, elsewhere: tuple[Path, ...]) -> Iterator[Path]:
    """The file that an import reads, if it is one of the package below `root` or of a game elsewhere."""
    module, _, name = imported.partition(":")
    path = module.lstrip(".")
    words = (*_package(importer, len(module) - len(path), root, elsewhere), *filter(None, path.split(".")))
    # `from package import name` takes a module of that name, if there is one, or what the package's __init__ has.
    for wanted in ((*words, name), words) if name and name != "*" else (words,):
        if file := _file_of(wanted, root, elsewhere):
            yield file
            return


@cache
def _file_of(module: tuple[str, ...], root: Path, elsewhere: tuple[Path, ...]) -> Path | None:
    """The file of a module, if it is one of the package below `root` or of a game elsewhere; many import the same."""
    for place in _places(module, root, elsewhere):
        for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


def _package(importer: Path, dots: int, root: Path, elsewhere: tuple[Path, ...]) -> tuple[str, ...]:
    """The package that so many leading dots mean in a file."""
    if not dots:
        return ()
    if importer.is_relative_to(root / "lapilli"):
        parts = importer.relative_to(root).parts
    else:
        homes = [home for folder in elsewhere for home in folder.iterdir() if importer.is_relative_to(home.resolve())]
        parts = ("lapilli", "games", homes[0].name, *importer.relative_to(homes[0].resolve()).parts) if homes else ()
    return parts[:-dots]


def _places(module: tuple[str, ...], root: Path, elsewhere: tuple[Path, ...]) -> Iterator[Path]:
    """Where a module of Lapilli's or of a game elsewhere may lie, were it a folder."""
    if module[:1] == ("lapilli",):
        yield root.joinpath(*module)
    if module[:2] == ("lapilli", "games") and len(module) > 2:
        for folder in elsewhere:
            yield (folder / module[2]).resolve().joinpath(*module[3:])


def _imports(source: Path) -> list[str]:
    """What a file imports, wherever in it. Reading the syntax takes time, so that it is remembered by contents."""
    data = _read(source)
    key = hashlib.sha256(data).hexdigest()[:32]
    known = _remembered()
    if key not in known:
        known[key] = _read_imports(data)
    return known[key]


def _read_imports(data: bytes) -> list[str]:
    imports = []
    for node in ast.walk(ast.parse(data)):
        if isinstance(node, ast.Import):
            imports += [f"{alias.name}:" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [f"{'.' * node.level}{node.module or ''}:{alias.name}" for alias in node.names]
    return [name for name in imports if name.startswith((".", "lapilli"))]


@cache
def _remembered() -> dict[str, list[str]]:
    with suppress(OSError, ValueError):
        known = json.loads((cache_base() / _IMPORTS).read_bytes())
        if isinstance(known, dict) and len(known) < _MOST_REMEMBERED:
            return known
    return {}


def _write_remembered() -> None:
    with suppress(OSError), tempfile.NamedTemporaryFile("w", dir=cache_base(), delete=False) as file:
        json.dump(_remembered(), file)
        file.close()
        os.replace(file.name, cache_base() / _IMPORTS)


# ------------------------------------------------------------------------------------ stale folders


@cache
def _use() -> int:
    """A descriptor that says, as long as this process lives, that it uses the cache."""
    lock = os.open(cache_base() / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


@cache
def _throw_stale_away() -> None:
    """Removes what no source leads to any more, once a process, unless another process is using the cache."""
    try:
        fcntl.flock(_use(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        for folder in cache_base().iterdir():
            if folder.is_dir() and _is_stale(folder):
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # another process is there, and will do it another time
        pass
    finally:
        fcntl.flock(_use(), fcntl.LOCK_SH)


def _is_stale(folder: Path) -> bool:
    try:
        made_of = json.loads((folder / _MADE_OF).read_bytes())
        root, files, elsewhere = Path(made_of["root"]), _paths(made_of["files"]), _paths(made_of["elsewhere"])
        if made_of["python"] != sys.prefix:  # its versions are not ours to tell
            return not (Path(made_of["python"]).exists() and all(file.exists() for file in files))
        return folder.name != _name(root, files, elsewhere)
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return True


def _is_current(folder: Path) -> bool:
    """Whether this process would look there for machine code, whichever checkout of the same sources made it."""
    try:
        made_of = json.loads((folder / _MADE_OF).read_bytes())
        root, files = Path(made_of["root"]), _paths(made_of["files"])
        here = tuple(ROOT / file.relative_to(root) if file.is_relative_to(root) else file for file in files)
        return folder.name == _name(ROOT, here)
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return False


def _paths(texts: list[str]) -> tuple[Path, ...]:
    return tuple(map(Path, texts))
