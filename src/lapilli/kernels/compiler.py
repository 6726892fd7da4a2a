"""Compiles kernels: each function once, and to machine code only if Python calls it.

By default, Numba compiles a function again for every integer type that it is called with (an 8-bit field, a 32-bit
field, each number in the source). It also makes machine code of every function again for each function that calls it.
Here kernels call each other with one integer type only (`_passed_as`). A called kernel is stored as a code part: the
output of the compiler's front end (`cache_parts`). Parts are linked and optimised once, for the kernel that Python
calls (`Kernel`). Parts and machine code are stored on disk, so that no other kernel or process has to compile them
again.
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
"""Error numbers of a failed write that mean that the folder is read-only or could not be created."""
_OPTIONS = {"nopython": True, "_nrt": False}
"""Numba options of all kernels. Kernels own no memory, because their callers own the arrays. So references are not
counted (`_nrt`): the counting took half of the time for one step of a batch of games."""


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that Python can call. Calls from other kernels go to another form of it, its `_Callee`.

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
        """The form of this kernel that other kernels call. Made on first use, as few kernels of a process need it."""
        return _Callee(self.py_func)

    def enable_caching(self) -> None:
        """Makes Numba look for the machine code on disk before it compiles, and store its results there."""
        self._cache = _MachineCodeCache(self.py_func)

    def compile(self, sig: Any) -> Any:
        """Compiles the function for the argument types `sig`, or loads the machine code if it is on disk already."""
        with claimed(self.py_func):
            return super().compile(sig)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compiles the function for the types of these arguments, at the first call with such types.

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
        """Returns the template from which Numba learns the types of a call in another kernel: that of `_callee`."""
        return self._callee.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Returns the key under which Numba finds the code of `_callee` for the argument types `sig`."""
        return self._callee.get_overload(sig)

    def _link(self, args: Any, return_type: Any) -> Any:
        """Compiles, links and optimises the function for the argument types `args`; adds the wrapper for Python."""
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
    """Locator that makes Numba store a function's machine code in the folder from `lapilli.kernels.cache`.

    It accepts a read-only folder, as in a sandbox. Numba's own locator would choose another folder.
    """

    def ensure_cache_path(self) -> None:
        """Creates the cache folder, if possible."""
        with suppress(OSError):
            os.makedirs(self.get_cache_path(), mode=0o755, exist_ok=True)


class _MachineCodeFiles(CompileResultCacheImpl):  # type: ignore[misc]
    """Numba's reader and writer of machine code on disk, which takes the folder from `_Folder`."""

    _locator_classes: ClassVar[list[Any]] = [_Folder]


class _MachineCodeCache(FunctionCache):  # type: ignore[misc]
    """Disk cache of machine code that starts fast.

    Numba's own cache sets up the compiler before it reads a file, which takes a tenth of a second. Loading code needs
    only Numba's runtime.
    """

    _impl_class = _MachineCodeFiles

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores machine code (`data`) for the argument types `sig`; does nothing if the folder is read-only."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            if error.errno not in _READ_ONLY:
                raise

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Loads the machine code for the argument types `sig` from disk. Returns None if there is none."""
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _Callee(CPUDispatcher):  # type: ignore[misc]
    """The form of a kernel that other kernels call. It is compiled to a code part, not to machine code."""

    def __init__(self, function: Any) -> None:
        super().__init__(function, targetoptions=_OPTIONS, pipeline_class=PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Returns Numba's template for the types of a call. Arguments are passed with the types of `_passed_as`."""
        signature, folded = self._compiler.fold_argument_types(args, kws)
        passed = tuple(map(_passed_as, folded))
        self.compile(passed)
        name = self.py_func.__name__
        template = typing.make_concrete_template(name, key=name, signatures=self.nopython_signatures)
        return template, signature, passed, {}

    def compile(self, sig: Any) -> None:
        """Compiles the function for the argument types `sig`, or loads its code part from disk."""
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
        """Registers a compiled code part, in the compiler's result `cres`, so that other kernels can call it."""
        args = tuple(cres.signature.args)
        self.overloads[args] = cres
        cres.target_context.insert_user_function((self, args), cres.fndesc, [cres.library])

    def get_overload(self, sig: Any) -> Any:
        """Returns the key under which `add_overload` has registered the code part for the argument types `sig`."""
        return self, tuple(sig)


class _KernelType(types.Dispatcher):  # type: ignore[misc]
    """Numba's type for a kernel to which another kernel refers."""


register_default(_KernelType)(OpaqueModel)


@lower_constant(_KernelType)  # type: ignore[untyped-decorator]
def _kernel_constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()  # Numba's own constant is an address: such code could not be stored


def _passed_as(kind: Any) -> Any:
    """Returns the type to which a kernel converts an argument of the type `kind` before it calls another kernel.

    It is int64 for integers except uint64, the plain type for a literal, and an ordinary array for a record's array
    field. Other types stay as they are.
    """
    kind = types.unliteral(kind)
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    return types.int64 if isinstance(kind, types.Integer) and kind != types.uint64 else kind


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _row_as_array(context: Any, builder: Any, kind: Any, wanted: Any, row: Any) -> Any:
    return row  # both have the same layout in memory


class _LinkedCode(JITCodeLibrary):  # type: ignore[misc]
    """The machine code of a function, linked with all functions that it calls directly or indirectly."""

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
        """Optimises the code. First marks the called functions as internal: they can be inlined and then dropped."""
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
        super()._optimize_final_module()
