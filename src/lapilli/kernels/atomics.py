"""Atomic operations on array elements, for kernels that several threads run at once on the same arrays."""

from __future__ import annotations

from threading import Lock
from typing import Any

from numba import types
from numba.extending import intrinsic

from lapilli.kernels.kernel import JIT, Ints, kernel

if JIT:

    def _atomic(operation: str) -> Any:
        """Returns a Numba intrinsic that changes an array element atomically and returns the previous value.

        `operation`: name of the change in LLVM's instruction `atomicrmw`, such as "add".
        """

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array, index, value = args
            data = context.make_array(signature.args[0])(context, builder, array).data
            return builder.atomic_rmw(operation, builder.gep(data, [index]), value, "seq_cst")

        def typed(typing: Any, array: Any, index: Any, value: Any) -> Any:
            return types.int64(array, types.int64, types.int64), code

        return intrinsic(typed)

    def _fence_code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    @intrinsic  # type: ignore[untyped-decorator]
    def _fence(typing: Any) -> Any:
        return types.void(), _fence_code

    _add, _exchange = _atomic("add"), _atomic("xchg")

else:
    _LOCK = Lock()

    def _add(array: Ints, index: int, amount: int) -> int:
        with _LOCK:
            before = int(array[index])
            array[index] = before + amount
        return before

    def _exchange(array: Ints, index: int, value: int) -> int:
        with _LOCK:
            before = int(array[index])
            array[index] = value
        return before

    def _fence() -> None:
        pass


@kernel
def fetch_add(array: Ints, index: int, amount: int) -> int:
    """Adds `amount` to `array[index]`, and returns the element's previous value."""
    before: int = _add(array, index, amount)
    return before


@kernel
def swap(array: Ints, index: int, value: int) -> int:
    """Replaces `array[index]` by `value`, and returns the element's previous value."""
    before: int = _exchange(array, index, value)
    return before


@kernel
def fence() -> None:
    """Memory fence: a thread that sees a write made after this call also sees all writes made before the call."""
    _fence()
