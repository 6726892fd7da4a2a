"""Atomic operations on an array of 64-bit words, for arrays that several threads change at the same time."""

from __future__ import annotations

import threading
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic

from lapilli.kernels.kernel import JIT, Ints, kernel

if JIT:

    def _change(kind: str) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            word = cgutils.get_item_pointer(context, builder, signature.args[0], array, [args[1]])
            return builder.atomic_rmw(kind, word, args[2], "seq_cst")

        return codegen

    @intrinsic
    def _add(typing: Any, words: Any, place: Any, value: Any) -> Any:
        return types.int64(words, types.intp, types.int64), _change("add")

    @intrinsic
    def _swap(typing: Any, words: Any, place: Any, value: Any) -> Any:
        return types.int64(words, types.intp, types.int64), _change("xchg")

    @kernel
    def add(words: Ints, place: int, value: int) -> int:
        """Adds a value to the word with the index `place` atomically, and returns the word's old value."""
        return _add(words, place, value)  # type: ignore[call-arg]

    @kernel
    def swap(words: Ints, place: int, value: int) -> int:
        """Sets the word with the index `place` to a value atomically, and returns the word's old value."""
        return _swap(words, place, value)  # type: ignore[call-arg]

else:
    _lock = threading.Lock()

    def add(words: Ints, place: int, value: int) -> int:
        """Adds a value to word number `place` atomically, and returns the word's old value."""
        with _lock:
            before = int(words[place])
            words[place] = before + value
        return before

    def swap(words: Ints, place: int, value: int) -> int:
        """Sets word number `place` to a value atomically, and returns the word's old value."""
        with _lock:
            before = int(words[place])
            words[place] = value
        return before
