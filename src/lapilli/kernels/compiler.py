"""How kernels are compiled: each function once, and machine code only for those that Python calls.

Left to itself, Numba compiles a function anew for every kind of integer that it is called with (a field of 8 bits, one
of 32, each number in the source), and makes machine code of every function within every one that calls it. Here kernels
call each other with one kind of argument (`_passed_as`), and what a kernel calls is kept as the front end leaves it
(`codeparts`): all is put together and optimised once, for the kernel that Python calls (`Kernel`). Both are kept on
disk, so that another kernel, and another process, need not compile them again.
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
from lapilli.kernels.cache_parts import Part, PartCompiler, load_part, save_part

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.ENOENT)
"""The errors of writing into a folder that can only be read, or into one in it that could not be made."""
_OPTIONS = {"nopython": True, "_nrt": False}
"""Kernels own no memory: whoever calls keeps the arrays. Counting who looks at them took half of a batch's step."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function: what Python calls. Other kernels that name it get its `_Callee`.

    Args:
        function: what is compiled. parallel: whether other threads of Python's run while it does.
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
        """What other kernels call, made when it is compiled: most kernels of a process never are."""
        return _Callee(self.py_func)

    def enable_caching(self) -> None:
        """Looks on disk before it compiles, and keeps there what it has compiled."""
        self._cache = _OnDisk(self.py_func)

    def compile(self, sig: Any) -> Any:
        """Compiles for these types of arguments, or finds that on disk, perhaps when another process has done it."""
        with claimed(self.py_func):
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """What a first call begins with. Without a descriptor no code can be read: that is told as what it is, in one
        line, and another call tries again."""
        try:
            return super()._compile_for_args(*args, **kws)
        except OSError as error:
            if error.errno not in NO_DESCRIPTOR:
                raise
            advice = "close files, or allow more (ulimit -n)"
            raise OSError(error.errno, f"{os.strerror(error.errno)}: a kernel cannot be loaded; {advice}") from None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What a call in another kernel resolves to."""
        return self._callee.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """The key under which the compiler finds what another kernel calls."""
        return self._callee.get_overload(sig)

    def _put_together(self, args: Any, return_type: Any) -> Any:
        """The machine code for these types of arguments, with a wrapper for Python."""
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
    """Finds the machine code of a function in the folder from `lapilli.kernels.cache`, also in a read-only one: a
    sandbox shows it so. Numba's own would look for another folder then."""

    def ensure_cache_path(self) -> None:
        """Makes the folder where it can be made."""
        with suppress(OSError):
            os.makedirs(self.get_cache_path(), mode=0o755, exist_ok=True)


class _Code(CompileResultCacheImpl):  # type: ignore[misc]
    """Machine code on disk."""

    _locator_classes: ClassVar[list[Any]] = [_Folder]


class _OnDisk(FunctionCache):  # type: ignore[misc]
    """The machine code that is kept on disk. Numba sets its compiler up before it looks there, which takes a tenth of a
    second; to load code takes no more than its runtime."""

    _impl_class = _Code

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps the code, unless its folder can only be read: the next process compiles it again."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if error.errno not in _READ_ONLY:
                raise

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for these types of arguments; None where there is none."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _Callee(CPUDispatcher):  # type: ignore[misc]
    """A function that other kernels call. It has no machine code of its own."""

    def __init__(self, function: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """As Numba's own, but for the types that arguments are passed as."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        passed = tuple(map(_passed_as, folded))
        self.compile(passed)
        name = self.py_func.__name__
        template = typing.make_concrete_template(name, key=name, signatures=self.nopython_signatures)
        return template, signature, passed, {}

    def compile(self, sig: Any) -> None:
        """Makes the code for these types of arguments, or finds it on disk."""
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
        """Makes a compiled function known to the kernels that call it."""
        args = tuple(cres.signature.args)
        self.overloads[args] = cres
        cres.target_context.insert_user_function((self, args), cres.fndesc, [cres.library])

    def get_overload(self, sig: Any) -> Any:
        """The key that `add_overload` used."""
        return self, tuple(sig)


class _KernelType(types.Dispatcher):  # type: ignore[misc]
    """A kernel's type where another one names it."""


register_default(_KernelType)(OpaqueModel)


@lower_constant(_KernelType)  # type: ignore[untyped-decorator]
def _named(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()  # Numba's own would be the object's address, which keeps code from the disk


def _passed_as(kind: Any) -> Any:
    """The type that arguments of this type are passed as: of integers 64 bits; of a literal its type; of a record's row
    that of any array."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _row_as_array(context: Any, builder: Any, kind: Any, wanted: Any, row: Any) -> Any:
    return row  # they look the same


class _Whole(JITCodeLibrary):  # type: ignore[misc]
    """The machine code of a function and of all that it calls."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        queue = list(self._linking_libraries)
        reached: dict[Any, None] = {}
        while queue:
            library = queue.pop()
            if library not in reached:
                reached[library] = None
                queue += library.callees() if isinstance(library, Part) else ()
        self._linking_libraries = list(reached)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """What nobody else calls may be put into its callers, and left out."""
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
        super()._optimize_final_module()
