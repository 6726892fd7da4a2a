"""Compiles kernels: each function once, and to machine code only if Python calls it.

By default, Numba compiles a function again for every integer type that it is called with (an 8-bit field, a 32-bit
field, each number in the source). It also makes machine code of every function within each function that calls it. Here
kernels call each other with one integer type (`_passed_as`), and a called kernel is stored as the compiler's front end
produces it (`cache_parts`). Everything is linked and optimised once, for the kernel that Python calls (`Kernel`). Both
are stored on disk, so that no other kernel or process has to compile them again.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import cached_property
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

from lapilli.kernels.cache import NO_DESCRIPTOR, claimed
from lapilli.kernels.cache_parts import CodePart, PartCompiler, load_part, save_part

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.ENOENT)
"""Error numbers of writing to a read-only folder, or to a sub-folder that could not be made in it."""
_OPTIONS = {"nopython": True, "_nrt": False}
"""Numba options of all kernels. Kernels own no memory: the caller keeps the arrays alive. Counting references to them
(`_nrt`) took half the time of a step of a batch."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that Python calls. Other kernels that name it call its `_Callee`.

    Args:
        function: the Python function to compile.
        parallel: whether other Python threads run during a call.
    """

    def __init__(self, function: Any, parallel: bool = False) -> None:
        super().__init__(function, targetoptions=_OPTIONS)
        self._parallel = parallel
        self._compiler.compile = self._put_together
        self.enable_caching()

    @property
    def _numba_type_(self) -> Any:
        return _KernelType(self)

    @cached_property
    def _callee(self) -> _Callee:
        """The function that other kernels call. Made on first use, as most kernels of a process never need it."""
        return _Callee(self.py_func)

    def enable_caching(self) -> None:
        """Makes the compiler look on disk first, and store there what it compiled."""
        self._cache = _OnDisk(self.py_func)

    def compile(self, sig: Any) -> Any:
        """Compiles for these argument types, or loads the result from disk; another process may have put it there."""
        with claimed(self.py_func):
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compiles for the arguments of a first call.

        Without a free file descriptor no code can be read. Then a one-line OSError says so, and a later call tries
        again.
        """
        try:
            return super()._compile_for_args(*args, **kws)
        except OSError as error:
            if error.errno not in NO_DESCRIPTOR:
                raise
            advice = "close files, or allow more (ulimit -n)"
            raise OSError(error.errno, f"{os.strerror(error.errno)}: a kernel cannot be loaded; {advice}") from None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Returns what a call in another kernel resolves to."""
        return self._callee.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Returns the key under which the compiler finds the function that another kernel calls."""
        return self._callee.get_overload(sig)

    def _put_together(self, args: Any, return_type: Any) -> Any:
        """Links and optimises the machine code for these argument types, with a wrapper for Python."""
        self.typingctx.refresh()
        self.targetctx.refresh()
        self._callee.compile(tuple(args))
        own = self._callee.overloads[tuple(args)]
        context, description = own.target_context, own.fndesc
        library = _Whole(context.codegen(), description.qualname)
        library.enable_object_caching()
        library.add_linking_library(own.library)
        context.create_cpython_wrapper(
            library, description, own.environment, own.call_helper, release_gil=self._parallel
        )
        entry = context.get_executable(library, description, own.environment)
        return own._replace(library=library, entry_point=entry, metadata={})


class _Folder(UserProvidedCacheLocator):  # type: ignore[misc]
    """Numba's locator of a function's machine code, using the folder from `lapilli.kernels.cache`. It accepts a
    read-only folder, which a sandbox has; Numba's own would look for another folder then."""

    def ensure_cache_path(self) -> None:
        """Makes the folder, if possible."""
        with suppress(OSError):
            os.makedirs(self.get_cache_path(), mode=0o755, exist_ok=True)


class _Code(CompileResultCacheImpl):  # type: ignore[misc]
    """Machine code on disk."""

    _locator_classes: ClassVar[list[Any]] = [_Folder]


class _OnDisk(FunctionCache):  # type: ignore[misc]
    """Disk cache of machine code, fast to start. Numba sets up its compiler before it reads the cache, which takes a
    tenth of a second; loading code needs only its runtime."""

    _impl_class = _Code

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores the code. If the folder is read-only, does nothing: the next process compiles it again."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if error.errno not in _READ_ONLY:
                raise

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the code for these argument types; None if there is none."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _Callee(CPUDispatcher):  # type: ignore[misc]
    """A function that other kernels call. It has no machine code of its own."""

    def __init__(self, function: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Does the same as Numba's own, except that arguments are passed as the types of `_passed_as`."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        passed = tuple(map(_passed_as, folded))
        self.compile(passed)
        name = self.py_func.__name__
        template = typing.make_concrete_template(name, key=name, signatures=self.nopython_signatures)
        return template, signature, passed, {}

    def compile(self, sig: Any) -> None:
        """Compiles for these argument types, or loads the result from disk."""
        args = tuple(sig)
        if args in self.overloads:
            return
        known = load_part(self.py_func, args, self.targetctx.subtarget(enable_nrt=False))
        if known is not None:
            self.add_overload(known)
        else:
            super().compile(args)
            save_part(self.py_func, args, self.overloads[args])

    def add_overload(self, cres: Any) -> None:
        """Registers a compiled function with the compiler, for the kernels that call it."""
        args = tuple(cres.signature.args)
        self.overloads[args] = cres
        cres.target_context.insert_user_function((self, args), cres.fndesc, [cres.library])

    def get_overload(self, sig: Any) -> Any:
        """Returns the key that `add_overload` used."""
        return self, tuple(sig)


class _KernelType(types.Dispatcher):  # type: ignore[misc]
    """The type of a kernel that is named in another kernel."""


register_default(_KernelType)(OpaqueModel)


@lower_constant(_KernelType)  # type: ignore[untyped-decorator]
def _named(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()  # Numba's own constant, the object's address, would keep code off the disk


def _passed_as(kind: Any) -> Any:
    """Returns the type as which an argument of this type is passed: 64 bits for integers, the plain type for a literal,
    an ordinary array for a sub-array of a record."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _row_as_array(context: Any, builder: Any, kind: Any, wanted: Any, row: Any) -> Any:
    return row  # both have the same layout in memory


class _Whole(JITCodeLibrary):  # type: ignore[misc]
    """The machine code of a function and of all functions that it calls."""

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
        """Marks functions as internal before optimising, so that they may be inlined and then dropped."""
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
        super()._optimize_final_module()
