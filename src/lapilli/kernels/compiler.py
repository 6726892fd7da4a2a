"""Compiles kernels (functions that run as machine code) with less work than Numba's own compiler.

By default, Numba compiles a function once for every integer type of an argument (an 8-bit field, a 32-bit field, each
number in the source). And if three functions call a fourth, Numba makes machine code of the fourth three times.

Here kernels call each other with one integer type only (`_passed_as`). A called kernel is compiled once, to a code
part: the output of the compiler's front end (`cache_parts`). For a kernel that Python calls (`Kernel`), all code parts
that it needs are linked, optimised and made into machine code together. Code parts and machine code are stored on disk,
so that no other kernel or process has to compile them again.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from functools import cache, cached_property
from typing import Any, ClassVar

from llvmlite.binding import Linkage
from numba import types
from numba.core import typing
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.datamodel.models import OpaqueModel
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_cast, lower_constant
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys

from lapilli.kernels.cache import NO_DESCRIPTOR, cache_base, claimed
from lapilli.kernels.cache_parts import CodePart, PartCompiler, load_part, save_part

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.ENOENT)
"""Error numbers of a failed write that mean that the folder is read-only or could not be created."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a failed write that mean that there is no room on the disk."""
_OPTIONS = {"nopython": True, "_nrt": False}
"""Numba options of all kernels. Kernels allocate no memory: their callers own all arrays. So Numba need not count
references (`_nrt`). Counting took half of the time of one step of a batch of games."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that Python can call. When another kernel calls the function, a `_Callee` is used instead.

    Args:
        function: the Python function to compile.
        parallel: whether a call releases the GIL, so that other Python threads run meanwhile.
    """

    def __init__(self, function: Any, parallel: bool = False) -> None:
        super().__init__(function, targetoptions=_OPTIONS)
        self._parallel = parallel
        self._compiler.compile = self._link
        self.enable_caching()

    @property
    def _numba_type_(self) -> Any:
        return _KernelType(self)

    @cached_property
    def _callee(self) -> _Callee:
        """The form of this kernel that other kernels call. It is made at first use, because few kernels need it."""
        return _Callee(self.py_func)

    def enable_caching(self) -> None:
        """Makes Numba look for machine code on disk before it compiles, and store new machine code there."""
        self._cache = _MachineCodeCache(self.py_func)

    def compile(self, sig: Any) -> Any:
        """Makes machine code for the argument types `sig`, and returns it in a form that Python can call.

        Loads the code from disk if it is there. Otherwise compiles it.
        """
        with claimed(self.py_func):
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compiles the function for the types of these arguments, and returns the result as Numba does.

        Numba calls this at the first call of the function with arguments of such types.

        Raises:
            OSError: no file descriptor is free, so the code could not be read. A later call tries again.
        """
        try:
            return super()._compile_for_args(*args, **kws)
        except OSError as error:
            if error.errno not in NO_DESCRIPTOR:
                raise
            advice = "close files, or allow more (ulimit -n)"
            raise OSError(error.errno, f"{os.strerror(error.errno)}: a kernel cannot be loaded; {advice}") from None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Returns the argument and result types of a call from another kernel, as Numba's "call template".

        `args` and `kws` are the types of the call's positional and keyword arguments.
        """
        return self._callee.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Returns the key under which Numba finds the code that other kernels call, for the argument types `sig`."""
        return self._callee.get_overload(sig)

    def _link(self, args: Any, return_type: Any) -> Any:
        """Returns machine code of the function for the argument types `args`, in a form that Python can call.

        Compiles the function's code part, links it with all code parts that it calls, and optimises the whole. Numba
        also passes `return_type`, which is not used: the code part contains the type of the result.
        """
        self.typingctx.refresh()
        self.targetctx.refresh()
        self._callee.compile(tuple(args))
        own = self._callee.overloads[tuple(args)]
        context, description = own.target_context, own.fndesc
        library = _LinkedCode(context.codegen(), description.qualname)
        library.enable_object_caching()
        library.add_linking_library(own.library)
        context.create_cpython_wrapper(
            library, description, own.environment, own.call_helper, release_gil=self._parallel
        )
        entry = context.get_executable(library, description, own.environment)
        return own._replace(library=library, entry_point=entry, metadata={})


class _Folder(UserProvidedCacheLocator):  # type: ignore[misc]
    """Numba's "cache locator" for kernels: machine code is stored in the folder that `lapilli.kernels.cache` chose.

    A read-only folder, as in a sandbox, is accepted, too. Numba's own locator would choose another folder then.
    """

    def ensure_cache_path(self) -> None:
        """Creates the cache folder, if possible."""
        with suppress(OSError):
            os.makedirs(self.get_cache_path(), mode=0o755, exist_ok=True)


class _MachineCodeFiles(CompileResultCacheImpl):  # type: ignore[misc]
    """Reads and writes machine code on disk as Numba does, but in the folder that `_Folder` chooses."""

    _locator_classes: ClassVar[list[Any]] = [_Folder]


class _MachineCodeCache(FunctionCache):  # type: ignore[misc]
    """Cache of machine code on disk, from which a process can load code without starting the compiler.

    Numba's own cache starts the compiler before it reads a file, which takes a tenth of a second. But loading code
    needs only Numba's runtime.
    """

    _impl_class = _MachineCodeFiles

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores machine code (`data`) for the argument types `sig`.

        Stores nothing if the folder is read-only or its disk is full.
        """
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if error.errno in _NO_ROOM:
                _warn_not_stored(os.strerror(error.errno))
            elif error.errno not in _READ_ONLY:
                raise

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Loads the machine code for the argument types `sig` from disk. Returns None if there is none.

        `target_context` is Numba's description of the processor for which the code was made.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


@cache
def _warn_not_stored(why: str) -> None:
    """Prints a warning that machine code could not be stored, so that every later process must compile again.

    `why` is the reason. A second call with the same reason prints nothing.
    """
    print(
        f"lapilli: {why}: compiled kernels could not be kept in {cache_base()}; make room, or choose another folder by "
        "XDG_CACHE_HOME",
        file=sys.stderr,
    )


class _Callee(CPUDispatcher):  # type: ignore[misc]
    """The form of a kernel that other kernels call. It is compiled to a code part, not to machine code."""

    def __init__(self, function: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Returns the argument and result types of a call from another kernel, as Numba's "call template".

        The types are those that `_passed_as` returns for the caller's arguments. Compiles the function for them. `args`
        and `kws` are the types of the call's positional and keyword arguments.
        """
        signature, folded = self._compiler.fold_argument_types(args, kws)
        passed = tuple(map(_passed_as, folded))
        self.compile(passed)
        name = self.py_func.__name__
        template = typing.make_concrete_template(name, key=name, signatures=self.nopython_signatures)
        return template, signature, passed, {}

    def compile(self, sig: Any) -> None:
        """Makes the code part for the argument types `sig`: loads it from disk, or compiles it and saves it there."""
        args = tuple(sig)
        if args in self.overloads:
            return
        loaded = load_part(self.py_func, args, self.targetctx.subtarget(enable_nrt=False))
        if loaded is not None:
            self.add_overload(loaded)
        else:
            super().compile(args)
            save_part(self.py_func, args, self.overloads[args])

    def add_overload(self, cres: Any) -> None:
        """Registers a code part with Numba, so that other kernels can call it. `cres`: the compiler's result."""
        args = tuple(cres.signature.args)
        self.overloads[args] = cres
        cres.target_context.insert_user_function((self, args), cres.fndesc, [cres.library])

    def get_overload(self, sig: Any) -> Any:
        """Returns the key under which `add_overload` has registered the code part for the argument types `sig`."""
        return self, tuple(sig)


class _KernelType(types.Dispatcher):  # type: ignore[misc]
    """The type that Numba assigns to the name of a kernel inside the source of another kernel."""


register_default(_KernelType)(OpaqueModel)


@lower_constant(_KernelType)  # type: ignore[untyped-decorator]
def _kernel_constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()  # Numba's own constant is an address: such code could not be stored


def _passed_as(kind: Any) -> Any:
    """Returns the type to which a kernel converts an argument of the type `kind` before it calls another kernel.

    Integers become int64, except uint64. A literal becomes its plain type, and a record's array field becomes an
    ordinary array. All other types stay as they are.
    """
    kind = types.unliteral(kind)
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _row_as_array(context: Any, builder: Any, kind: Any, wanted: Any, row: Any) -> Any:
    return row  # both have the same layout in memory


class _LinkedCode(JITCodeLibrary):  # type: ignore[misc]
    """The machine code of a function together with all functions that it calls directly or indirectly."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        queue = list(self._linking_libraries)
        reached: dict[Any, None] = {}
        while queue:
            library = queue.pop()
            if library not in reached:
                reached[library] = None
                queue += library.callees() if isinstance(library, CodePart) else ()
        self._linking_libraries = list(reached)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimises the code. First marks the called functions as internal, so that LLVM can inline and drop them."""
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
        super()._optimize_final_module()
