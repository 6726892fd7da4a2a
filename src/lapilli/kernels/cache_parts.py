"""Code parts: compiled kernels in a form that can be linked into the kernels that call them. Loads and saves them.

A code part is the intermediate code (LLVM bitcode) of one function: the output of the compiler's front end, neither
optimised nor specific to this processor. A code part refers to the code parts of the functions that its function calls.
The names in the code depend only on the function and its sources. So code parts that different processes compiled can
be linked together.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from contextlib import suppress
from typing import Any

import llvmlite.binding as llvm
from numba.core import serialize
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags, compile_result
from numba.core.itanium_mangler import mangle

from lapilli.kernels.cache import cache_base, folder_of

_DYNAMIC = "numba.dynamic.globals"
"""Prefix of the names of LLVM variables whose values are addresses in this process's memory."""
_READABLE = 0o644
"""File mode of code parts on disk: everybody can read them, because a bot in a sandbox may run as another user."""
_loaded: dict[str, CodePart] = {}
"""The code parts that this process has loaded or saved, by file path below `cache_base()`."""


class CodePart(JITCodeLibrary):  # type: ignore[misc]
    """The intermediate code of one function. The code of the functions that it calls is in other code parts.

    Attributes:
        place: file path below `cache_base()`; None if the part is not on disk.
    """

    _linking_libraries: list[Any]
    place: str | None = None

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def callees(self) -> list[Any]:
        """Returns the code of the called functions: code parts, and libraries of Numba's own."""
        return self._linking_libraries

    def has_addresses(self) -> bool:
        """Returns whether the code contains an address that is valid in this process only."""
        names = (variable.name for variable in self._final_module.global_variables)
        return any(name.startswith(_DYNAMIC) for name in names)


class PartCompiler(CompilerBase):  # type: ignore[misc]
    """Compiler that runs Numba's usual passes, but produces a `CodePart`, which Python itself cannot call."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, returns: Any, flags: Any, local: Any) -> None:
        super().__init__(typing, target, library, args, returns, _Flags(flags), local)

    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.targetctx.mangler = _mangle
        state.func_id.unique_id = _number(state.func_id.func)
        state.func_id.unique_name = f"{state.func_id.func_qualname}${state.func_id.unique_id}"
        state.library = CodePart(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = state.flags.no_compile = True
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


class _Flags(Flags):  # type: ignore[misc]
    """Numba's compiler options with a faster `==`. Numba compares the options whenever it looks up a call."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        return (isinstance(other, Flags) and self._values == other._values) or super().__eq__(other)

    def __hash__(self) -> int:
        return 0  # Numba's own hash is constant, too


def _mangle(name: str, args: tuple[Any, ...], *, abi_tags: tuple[str, ...] = (), uid: int | None = None) -> str:
    """Returns the name that the function `name` has in compiled code, for the argument types `args`.

    The name is the same in every process. Numba's own function for names makes names with numbers that differ between
    processes, so Numba is made to call this function instead. `abi_tags` and `uid` become further parts of the name.
    """
    return str(mangle(name, (), abi_tags=(*abi_tags, _digest(args)), uid=uid))


def _digest(args: tuple[Any, ...]) -> str:
    """Returns a hash of a function's argument types, as 16 hexadecimal digits.

    The `str` of each type is hashed, because a tuple argument and `*args` have the same `repr`.
    """
    return hashlib.sha256(" ".join(map(str, args)).encode()).hexdigest()[:16]


def _number(function: Any) -> int:
    """Returns an integer that identifies a function with its present source code: a hash of both.

    It is part of the name of the function's file on disk, and of the names in the function's compiled code.
    """
    code = function.__code__
    what = f"{folder_of(function).name} {function.__qualname__} {code.co_firstlineno} ".encode() + code.co_code
    return int(hashlib.sha256(what).hexdigest()[:12], 16)


# ----------------------------------------------------------------------------------------- on disk


def load_part(function: Any, args: tuple[Any, ...], target: Any) -> Any:
    """Loads the code part of a function from disk. Returns None if there is none.

    Args:
        function: the Python function.
        args: the types of its arguments. There is one code part for each combination of types.
        target: Numba's target context.

    Returns:
        A compile result of Numba, the type that its compiler returns. Its field `library` is the code part.
    """
    place = _place(function, args)
    saved = _read(place)
    if saved is None or (part := _load(place, saved, target.codegen())) is None:
        return None
    description, environment, signature = saved["result"]
    return compile_result(
        typing_context=target.typing_context,
        target_context=target,
        library=part,
        fndesc=description,
        environment=environment,
        signature=signature,
        objectmode=False,
        lifted=(),
    )


def save_part(function: Any, args: tuple[Any, ...], result: Any) -> None:
    """Saves a function's intermediate code (its code part) on disk, so that later processes need not compile it.

    Does nothing if the code contains an address that is valid in this process only, if the code part of a function that
    it calls is not on disk, or if the file cannot be written. `load_part` loads what this function has saved.

    Args:
        function: the Python function.
        args: the types of its arguments.
        result: what Numba's compiler returned for these types; it contains the code part.
    """
    part = result.library
    own = [callee for callee in part.callees() if isinstance(callee, CodePart)]
    if part.has_addresses() or not all(callee.place for callee in own):
        return
    result.fndesc.typemap = result.fndesc.calltypes = None  # the compiler no longer needs them, and they are large
    saved = {
        "name": part.name,
        "code": _bitcode(part),
        "callees": [callee.place for callee in own],
        "others": [_bitcode(callee) for callee in part.callees() if callee not in own],
        "result": (result.fndesc, result.environment, result.signature),
    }
    place = _place(function, args)
    with suppress(OSError):
        _write(place, serialize.dumps(saved))
        part.place = place
        _loaded[place] = part


def _place(function: Any, args: tuple[Any, ...]) -> str:
    return f"{folder_of(function).name}/{function.__name__}-{_number(function):x}-{_digest(args)}.part"


def _load(place: str, saved: dict[str, Any], codegen: Any) -> CodePart | None:
    """Returns the code part of the file `place`, linked with all code parts that it calls.

    `saved` is the contents of the file, and `codegen` Numba's code generator. Returns None if a called code part is not
    on disk.
    """
    if place not in _loaded:
        part = _new_part(saved["name"], saved["code"], codegen)
        for code in saved["others"]:
            part.add_linking_library(_new_part(saved["name"], code, codegen))
        for callee in saved["callees"]:
            found = _loaded.get(callee)
            if found is None and (more := _read(callee)) is not None:
                found = _load(callee, more, codegen)
            if found is None:
                return None
            part.add_linking_library(found)
        part.place = place
        _loaded[place] = part
    return _loaded[place]


def _bitcode(library: Any) -> bytes:
    return bytes(library._get_module_for_linking().as_bitcode())


def _new_part(name: str, code: bytes, codegen: Any) -> CodePart:
    part = CodePart(codegen, name)
    part._final_module = llvm.parse_bitcode(code)
    return part


def _read(place: str) -> dict[str, Any] | None:
    try:
        saved = pickle.loads((cache_base() / place).read_bytes())
    except Exception:  # missing or incomplete: pickle may raise any exception
        return None
    return saved if isinstance(saved, dict) else None


def _write(place: str, data: bytes) -> None:
    file = cache_base() / place
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as new:
        try:
            new.write(data)
            new.flush()
        except OSError:  # the disk is full
            os.unlink(new.name)
            raise
        os.fchmod(new.fileno(), _READABLE)
    os.replace(new.name, file)
