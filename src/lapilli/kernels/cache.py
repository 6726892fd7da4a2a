"""The disk cache of machine code: its folders, and the key that decides whether the code in them is still valid.

Numba's own cache checks only the file of the function itself: after an edit of a *called* function in another file it
would load outdated code. Here the name of a cache folder depends on everything that its kernels can be made from: every
source file of Lapilli, and of games outside the package, that is imported directly or indirectly, and the versions of
Lapilli and of the compiler. When a new folder is made, folders that no longer match any source are removed.
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

from lapilli.kernels.compiler_choice import chosen_compiler
from lapilli.kernels.folder_trust import private_folder, why_open, why_untrusted
from lapilli.kernels.source_folders import ELSEWHERE

ROOT = Path(__file__).resolve().parents[2]
"""The folder that contains the package."""
NO_DESCRIPTOR = (errno.EMFILE, errno.ENFILE)
"""Error numbers that mean that this process or the system has no file descriptor left."""
_MADE_OF = "made-of.json"
_IMPORTS = "imports.json"
_MOST_REMEMBERED = 5000
"""Limit of the number of files whose imports are remembered. A list that has grown beyond it is dropped and started
anew by the next process."""


def folder_of(function: Callable[..., object]) -> Path:
    """Returns the cache folder of a function's machine code."""
    made_on = function.__globals__.get("__made_on__", ())  # a template's other sources (core/rules/templates.py)
    return cache_folder(_resolved(function.__code__.co_filename), *made_on)


@cache
def _resolved(name: str) -> Path:
    """Returns the resolved path of a source file. Cached, as one file has many kernels."""
    return Path(name).resolve()


@contextmanager
def claimed(function: Callable[..., object]) -> Iterator[None]:
    """Context manager that keeps other processes from compiling the same function at the same time.

    Another process that enters it for this function waits, and then finds the result on disk.
    """
    with ExitStack() as stack:
        with suppress(OSError):  # without the lock, both processes compile
            file = os.open(folder_of(function) / f"{function.__name__}.claim", os.O_RDWR | os.O_CREAT, 0o600)
            stack.callback(os.close, file)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def cache_folder(*files: Path) -> Path:
    """Returns the cache folder for machine code made from these files and all their imports. Creates it if needed."""
    _lock_shared()
    folder = cache_base() / _name(ROOT, files)
    if not folder.is_dir():
        with tempfile.TemporaryDirectory(dir=cache_base(), prefix=".new-") as place:
            made = Path(place) / "folder"
            made.mkdir()
            places = {"root": str(ROOT), "elsewhere": list(map(str, ELSEWHERE)), "files": list(map(str, files))}
            (made / _MADE_OF).write_text(json.dumps({**places, **_owner()}))
            with suppress(OSError):  # another process made it first
                made.rename(folder)
        _remove_stale_folders()
    return folder


@cache
def cache_base() -> Path:
    """Returns the folder that holds all cache folders.

    It is `lapilli` in NUMBA_CACHE_DIR, or else in XDG_CACHE_HOME, or else in ~/.cache. If that cannot be written, it is
    a new folder for this process alone. Loading machine code can run any code (`pickle`), so a folder that other users
    can write to is never used. ~/.cache or a folder for this process alone then takes its place, and a line on stderr
    says so.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder, why = _opened(chosen)
    if why:
        folder, _ = _opened("~/.cache")
    folder = folder or private_folder() / "lapilli"
    folder.mkdir(exist_ok=True)
    if why:
        print(
            f"lapilli: {why}, or name another folder in NUMBA_CACHE_DIR; kernels are stored in {folder}",
            file=sys.stderr,
        )
    return folder


def _opened(place: str) -> tuple[Path | None, str]:
    """Creates and checks the folder `lapilli` in the folder `place`, for `cache_base`.

    Returns:
        The folder, or None if it cannot be used; and a message, if the reason is that other users can write to it,
            else "".
    """
    try:
        folder = Path(place).expanduser().resolve() / "lapilli"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if why := why_untrusted(folder) or _why_open_within(folder):
            return None, why
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as error:
        if getattr(error, "errno", None) in NO_DESCRIPTOR:  # the folder itself is fine
            raise
        return None, ""
    return folder, ""


def _why_open_within(base: Path) -> str:
    """Returns why a cache folder, or a folder that Numba made in it, is unsafe, or "" if all are safe."""
    for folder in filter(Path.is_dir, base.iterdir()):
        with suppress(FileNotFoundError):  # another process may have removed it
            for place in (folder, *filter(Path.is_dir, folder.iterdir())):
                if why := why_open(place):
                    return why
    return ""


def current_folders() -> list[Path]:
    """Returns the cache folders that this process could load: made from the same sources, by the same versions.

    All other folders in `cache_base()` belong to other checkouts or interpreters, or are outdated.
    """
    return [folder for folder in cache_base().iterdir() if folder.is_dir() and _is_current(folder)]


def cache_size() -> int:
    """Returns the size of all files in the cache, in bytes."""
    size = 0
    for file in cache_base().rglob("*"):
        with suppress(OSError):  # another process may have removed it
            size += file.stat().st_size if file.is_file() else 0
    return size


def sources_of(file: Path, root: Path = ROOT, elsewhere: tuple[Path, ...] = ELSEWHERE) -> set[Path]:
    """Returns `file` and all files that it imports, directly or indirectly.

    Other libraries are left out: only files of the package below `root` and of games in the folders `elsewhere` count.
    """
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
    """Returns the versions of everything that turns a kernel's source into machine code."""
    versions = []
    for package in ("lapilli", "numba", "llvmlite", "numpy"):
        with suppress(PackageNotFoundError):  # Lapilli itself may run from a source folder, uninstalled
            versions.append(f"{package} {version(package)}")
    return ", ".join([f"python {sys.version}", f"{chosen_compiler()} compiler", *versions])


def _owner() -> dict[str, str]:
    """Returns the interpreter and the compiler that a folder is made for."""
    return {"python": sys.prefix, "compiler": chosen_compiler()}


# Imports are written "module:name", or "module:" for a whole module. Leading dots mean the file's own package.


@cache
def _targets(source: Path, root: Path, elsewhere: tuple[Path, ...]) -> tuple[Path, ...]:
    """Returns the files that a file imports directly."""
    return tuple(file for name in _imports(source) for file in _files_of(name, source, root, elsewhere))


def _files_of(imported: str, importer: Path, root: Path, elsewhere: tuple[Path, ...]) -> Iterator[Path]:
    """Yields the file that an import reads, if it belongs to the package below `root` or to a game elsewhere."""
    module, _, name = imported.partition(":")
    path = module.lstrip(".")
    words = (*_package(importer, len(module) - len(path), root, elsewhere), *filter(None, path.split(".")))
    # `from package import name` reads the module of that name if there is one, or else the package's `__init__`.
    for wanted in ((*words, name), words) if name and name != "*" else (words,):
        if file := _file_of(wanted, root, elsewhere):
            yield file
            return


@cache
def _file_of(module: tuple[str, ...], root: Path, elsewhere: tuple[Path, ...]) -> Path | None:
    """Returns the file of a module, if it belongs to the package below `root` or to a game elsewhere. Cached, as many
    files import the same module."""
    for place in _places(module, root, elsewhere):
        for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


def _package(importer: Path, dots: int, root: Path, elsewhere: tuple[Path, ...]) -> tuple[str, ...]:
    """Returns the package, as a tuple of names, that a relative import with this number of dots starts from.

    It is () for an absolute import, and for a file outside the package and all games.
    """
    if not dots:
        return ()
    if importer.is_relative_to(root / "lapilli"):
        parts = importer.relative_to(root).parts
    else:
        homes = [home for folder in elsewhere for home in folder.iterdir() if importer.is_relative_to(home.resolve())]
        parts = ("lapilli", "games", homes[0].name, *importer.relative_to(homes[0].resolve()).parts) if homes else ()
    return parts[:-dots]


def _places(module: tuple[str, ...], root: Path, elsewhere: tuple[Path, ...]) -> Iterator[Path]:
    """Yields the paths, without suffix, at which a module of Lapilli or of a game elsewhere may lie."""
    if module[:1] == ("lapilli",):
        yield root.joinpath(*module)
    if module[:2] == ("lapilli", "games") and len(module) > 2:
        for folder in elsewhere:
            yield (folder / module[2]).resolve().joinpath(*module[3:])


def _imports(source: Path) -> list[str]:
    """Returns all imports in a file, those inside functions included.

    Parsing is slow, so results are stored on disk under a hash of the file's contents.
    """
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
def _lock_shared() -> int:
    """Marks the cache as in use: takes a shared file lock until this process ends. Returns the lock's descriptor."""
    lock = os.open(cache_base() / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


@cache
def _remove_stale_folders() -> None:
    """Removes outdated folders, once per process, unless another process is using the cache."""
    try:
        fcntl.flock(_lock_shared(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        for folder in cache_base().iterdir():
            if folder.is_dir() and _is_stale(folder):
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # another process uses the cache; a later process will clean up
        pass
    finally:
        fcntl.flock(_lock_shared(), fcntl.LOCK_SH)


def _is_stale(folder: Path) -> bool:
    try:
        made_of = json.loads((folder / _MADE_OF).read_bytes())
        root, files, elsewhere = Path(made_of["root"]), _paths(made_of["files"]), _paths(made_of["elsewhere"])
        if {name: made_of[name] for name in _owner()} != _owner():  # this process does not know their versions
            return not (Path(made_of["python"]).exists() and all(file.exists() for file in files))
        return folder.name != _name(root, files, elsewhere)
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return True


def _is_current(folder: Path) -> bool:
    """Returns whether this process could load machine code from a cache folder, even if another checkout made it."""
    try:
        made_of = json.loads((folder / _MADE_OF).read_bytes())
        root, files = Path(made_of["root"]), _paths(made_of["files"])
        here = tuple(ROOT / file.relative_to(root) if file.is_relative_to(root) else file for file in files)
        return folder.name == _name(ROOT, here)
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return False


def _paths(texts: list[str]) -> tuple[Path, ...]:
    return tuple(map(Path, texts))
