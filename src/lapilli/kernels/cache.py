"""The disk cache of machine code: in which folder compiled kernels are stored, and when a folder is outdated.

Numba's own cache checks only the file of the function itself. After an edit of a *called* function in another file,
Numba would load outdated code. Here the name of a cache folder contains a hash of everything that its machine code
depends on:

- the source file of the kernels,
- every source file of Lapilli, or of a game outside the package, that this file imports directly or indirectly,
- the versions of Lapilli and of the compiler.

So after any change another folder is used. When a new folder is made, outdated folders are removed.
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
_LONGEST_NAME = 200
"""Greatest length of the part of a folder's name that lists source files. File systems allow names of 255 bytes."""
_MOST_REMEMBERED = 5000
"""Greatest number of source files in the stored list of imports. If the list is longer, a process starts a new list."""


def folder_of(function: Callable[..., object]) -> Path:
    """Returns the cache folder for a function's machine code. Creates the folder if needed."""
    made_on = function.__globals__.get("__made_on__", ())  # a template's other sources (`core.rules.templates`)
    return cache_folder(_resolved(function.__code__.co_filename), *made_on)


@cache
def _resolved(name: str) -> Path:
    """Returns the resolved path of a source file. Cached, as one file has many kernels."""
    return Path(name).resolve()


@contextmanager
def claimed(function: Callable[..., object]) -> Iterator[None]:
    """Context manager that lets only one process at a time compile a function.

    A second process that wants to compile the same function waits until the first has finished. Then the second process
    finds the compiled code on disk.
    """
    with ExitStack() as stack:
        with suppress(OSError):  # without the lock, both processes compile
            file = os.open(folder_of(function) / f"{function.__name__}.claim", os.O_RDWR | os.O_CREAT, 0o600)
            stack.callback(os.close, file)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def cache_folder(*files: Path) -> Path:
    """Returns the cache folder for machine code that is made from these source files and all their imports.

    Creates the folder if needed.
    """
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

    Its name is `lapilli`. Its parent folder is the value of the environment variable NUMBA_CACHE_DIR. Without this
    variable, it is the value of XDG_CACHE_HOME, and without both, ~/.cache. If Lapilli cannot write there, a new
    temporary folder for this process alone is used.

    Loading machine code can run any code (`pickle`). So a folder that other users can write to is never used. Then
    ~/.cache is used, or a temporary folder if ~/.cache is not safe either, and a line on stderr reports this.
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
    """Creates the folder `lapilli` in the folder `place`, and checks whether it can hold the cache.

    Returns:
        A pair: the folder, or None if it cannot be used; and a message if other users can write to it, else "".
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
    """Returns a message if other users can write to a cache folder in `base`, or to a folder in it; else ""."""
    for folder in filter(Path.is_dir, base.iterdir()):
        with suppress(FileNotFoundError):  # another process may have removed it
            for place in (folder, *filter(Path.is_dir, folder.iterdir())):
                if why := why_open(place):
                    return why
    return ""


def current_folders() -> list[Path]:
    """Returns the cache folders whose machine code this process could load.

    Their code was made from the sources of this process, with the same versions of Lapilli and the compiler. All other
    folders in `cache_base()` are outdated, or belong to another checkout or Python interpreter.
    """
    return [folder for folder in cache_base().iterdir() if folder.is_dir() and _is_current(folder)]


def cache_size() -> int:
    """Returns the total size of all files in `cache_base()`, in bytes."""
    size = 0
    for file in cache_base().rglob("*"):
        with suppress(OSError):  # another process may have removed it
            size += file.stat().st_size if file.is_file() else 0
    return size


def sources_of(file: Path, root: Path = ROOT, elsewhere: tuple[Path, ...] = ELSEWHERE) -> set[Path]:
    """Returns `file` and all files that it imports, directly or indirectly.

    Files of other libraries are left out. The result contains only files of the package `lapilli`, which is in the
    folder `root`, and files of games in the folders `elsewhere`.
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
    sources = "-".join(".".join(file.with_suffix("").parts[-3:]) for file in files)
    return f"{sources[:_LONGEST_NAME]}-{digest.hexdigest()[:16]}"


@cache
def _read(source: Path) -> bytes:
    return source.read_bytes()


@cache
def _versions() -> str:
    """Returns the versions of all software that converts a kernel's source into machine code, as one string."""
    versions = []
    for package in ("lapilli", "numba", "llvmlite", "numpy"):
        with suppress(PackageNotFoundError):  # Lapilli itself may run from a source folder, uninstalled
            versions.append(f"{package} {version(package)}")
    return ", ".join([f"python {sys.version}", f"{chosen_compiler()} compiler", *versions])


def _owner() -> dict[str, str]:
    """Returns two facts about this process, which it writes into each new cache folder.

    They are the prefix of its Python installation ("python") and the name of its kernel compiler ("compiler").
    """
    return {"python": sys.prefix, "compiler": chosen_compiler()}


# In this part, an import is a string: "module:name", or "module:" for a whole module. Leading dots: a relative import.


@cache
def _targets(source: Path, root: Path, elsewhere: tuple[Path, ...]) -> tuple[Path, ...]:
    """Returns the files of Lapilli and of games that the file `source` imports directly.

    `root` is the folder that contains the package `lapilli`, and `elsewhere` the folders that contain other games.
    """
    return tuple(file for name in _imports(source) for file in _files_of(name, source, root, elsewhere))


def _files_of(imported: str, importer: Path, root: Path, elsewhere: tuple[Path, ...]) -> Iterator[Path]:
    """Yields the file that an import reads. Yields nothing if the file belongs neither to Lapilli nor to a game.

    Args:
        imported: the import, as "module:name".
        importer: the file that contains the import.
        root: the folder that contains the package.
        elsewhere: folders outside the package that contain games.
    """
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
    """Returns the file of a module of Lapilli or of a game; None for a module of another library.

    Cached, because many files import the same module.

    Args:
        module: the module's dotted name, split at the dots.
        root: the folder that contains the package.
        elsewhere: folders outside the package that contain games.
    """
    for place in _places(module, root, elsewhere):
        for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None


def _package(importer: Path, dots: int, root: Path, elsewhere: tuple[Path, ...]) -> tuple[str, ...]:
    """Returns the package to which a relative import in the file `importer` refers, as a tuple of names.

    The result is () for an absolute import, and for a file that belongs neither to Lapilli nor to a game.

    Args:
        importer: the file that contains the import.
        dots: number of dots at the beginning of the import: 0 for an absolute import, 1 for the file's own package, 2
            for the package above.
        root: the folder that contains the package `lapilli`.
        elsewhere: folders outside the package that contain games.
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
    """Yields the paths, without `.py`, at which a module may be: in the folder `root`, or in a game in `elsewhere`."""
    if module[:1] == ("lapilli",):
        yield root.joinpath(*module)
    if module[:2] == ("lapilli", "games") and len(module) > 2:
        for folder in elsewhere:
            yield (folder / module[2]).resolve().joinpath(*module[3:])


def _imports(source: Path) -> list[str]:
    """Returns all imports of Lapilli's modules in a file: "module:name" for `from module import name`, else "module:".

    Imports inside functions are included. Parsing a file is slow, so results are stored on disk under a hash of the
    file's contents.
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
    """Marks the cache as in use until this process ends, so that no other process removes folders from it.

    Takes a shared file lock for this. Returns the lock's file descriptor.
    """
    lock = os.open(cache_base() / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


@cache
def _remove_stale_folders() -> None:
    """Removes outdated cache folders, unless another process is using the cache. A second call does nothing."""
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
        if not all(file.exists() for file in files):  # that checkout is gone, but this one may use the same folder
            root, files = ROOT, _files_here(root, files)
        if {name: made_of[name] for name in _owner()} != _owner():  # another Python or compiler made it
            return not (Path(made_of["python"]).exists() and all(file.exists() for file in files))
        return folder.name != _name(root, files, elsewhere)
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return True


def _is_current(folder: Path) -> bool:
    """Returns whether this process could load machine code from a cache folder.

    This is also possible if another checkout of Lapilli with the same sources made the folder.
    """
    try:
        made_of = json.loads((folder / _MADE_OF).read_bytes())
        root, files = Path(made_of["root"]), _paths(made_of["files"])
        return folder.name == _name(ROOT, _files_here(root, files))
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return False


def _files_here(root: Path, files: tuple[Path, ...]) -> tuple[Path, ...]:
    """Converts paths of files in another checkout to the paths of the same files in this process's checkout.

    Files outside `root`, the folder of the other checkout, keep their paths. Such files belong to games in other
    folders.
    """
    return tuple(ROOT / file.relative_to(root) if file.is_relative_to(root) else file for file in files)


def _paths(texts: list[str]) -> tuple[Path, ...]:
    return tuple(map(Path, texts))
