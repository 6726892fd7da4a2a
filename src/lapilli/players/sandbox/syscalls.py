"""Makes the seccomp filter with which bubblewrap forbids system calls to a bot in the sandbox.

Forbidden are system calls that reach deep into Linux or into other processes, and others that no playing program needs.
All other calls are allowed. Tests play with programs in five languages under this filter. A forbidden call fails with
the error EPERM.

Sources of the numbers: Linux, include/uapi/asm-generic/unistd.h (aarch64) and arch/x86/entry/syscalls/syscall_64.tbl
(x86-64).
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple


class Forbidden(NamedTuple):
    """A forbidden system call, with its number on each architecture. None: the architecture has no such call."""

    name: str
    x86_64: int | None
    aarch64: int | None


FORBIDDEN = (
    # large parts of the kernel with a long history of security holes
    Forbidden("io_uring_setup", 425, 425),
    Forbidden("io_uring_enter", 426, 426),
    Forbidden("io_uring_register", 427, 427),
    Forbidden("userfaultfd", 323, 282),
    Forbidden("perf_event_open", 298, 241),
    Forbidden("bpf", 321, 280),
    Forbidden("modify_ldt", 154, None),
    Forbidden("vmsplice", 278, 75),
    Forbidden("lookup_dcookie", 212, 18),
    # keys of the host; they would also let two bots communicate
    Forbidden("add_key", 248, 217),
    Forbidden("request_key", 249, 218),
    Forbidden("keyctl", 250, 219),
    # access to other processes
    Forbidden("ptrace", 101, 117),
    Forbidden("process_vm_readv", 310, 270),
    Forbidden("process_vm_writev", 311, 271),
    Forbidden("kcmp", 312, 272),
    Forbidden("pidfd_getfd", 438, 438),
    Forbidden("move_pages", 279, 239),
    Forbidden("migrate_pages", 256, 238),
    # memory that belongs to no process, which only a control group would count
    Forbidden("memfd_create", 319, 279),
    Forbidden("memfd_secret", 447, 447),
    Forbidden("shmget", 29, 194),
    Forbidden("msgget", 68, 186),
    # namespaces and mounts
    Forbidden("unshare", 272, 97),
    Forbidden("setns", 308, 268),
    Forbidden("chroot", 161, 51),
    Forbidden("pivot_root", 155, 41),
    Forbidden("mount", 165, 40),
    Forbidden("umount2", 166, 39),
    Forbidden("open_tree", 428, 428),
    Forbidden("move_mount", 429, 429),
    Forbidden("fsopen", 430, 430),
    Forbidden("fsconfig", 431, 431),
    Forbidden("fsmount", 432, 432),
    Forbidden("fspick", 433, 433),
    Forbidden("mount_setattr", 442, 442),
    Forbidden("open_tree_attr", 467, 467),
    Forbidden("name_to_handle_at", 303, 264),
    Forbidden("open_by_handle_at", 304, 265),
    Forbidden("fanotify_init", 300, 262),
    Forbidden("quotactl", 179, 60),
    Forbidden("quotactl_fd", 443, 443),
    # control of the machine
    Forbidden("init_module", 175, 105),
    Forbidden("finit_module", 313, 273),
    Forbidden("delete_module", 176, 106),
    Forbidden("kexec_load", 246, 104),
    Forbidden("kexec_file_load", 320, 294),
    Forbidden("reboot", 169, 142),
    Forbidden("swapon", 167, 224),
    Forbidden("swapoff", 168, 225),
    Forbidden("acct", 163, 89),
    Forbidden("syslog", 103, 116),
    Forbidden("iopl", 172, None),
    Forbidden("ioperm", 173, None),
)
SOCKET_FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
"""Numbers of the only socket families that a bot may use, by name. Through other families, such as AF_NETLINK and
AF_VSOCK, a bot could reach the kernel or the host of a virtual machine.
"""


class _Architecture(NamedTuple):
    """Numbers in the filter that depend on the architecture.

    Attributes:
        audit: number by which Linux identifies the architecture: AUDIT_ARCH_… in linux/audit.h.
        socket: number of the system call `socket`.
        socketpair: number of the system call `socketpair`.
    """

    audit: int
    socket: int
    socketpair: int


_ARCHITECTURES = {
    "x86_64": _Architecture(0xC000003E, 41, 53),
    "aarch64": _Architecture(0xC00000B7, 198, 199),
}
_X32 = 0x40000000
"""Bit that is set in all numbers of system calls of x32, the 32-bit variant of x86-64."""

# linux/bpf_common.h, linux/seccomp.h
_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000


def machine() -> str:
    """Returns the name of this machine's architecture, such as "x86_64"."""
    return platform.machine()


def has_filter(architecture: str) -> bool:
    """Returns whether `seccomp_filter` supports an architecture. `architecture`: its name, such as "x86_64"."""
    return architecture in _ARCHITECTURES


def numbers(architecture: str) -> list[int]:
    """Returns the numbers of the system calls in FORBIDDEN on this architecture, "x86_64" or "aarch64"."""
    return [number for call in FORBIDDEN if (number := getattr(call, architecture)) is not None]


@cache
def seccomp_filter(architecture: str) -> bytes:
    """Returns the filter of system calls as `bwrap --seccomp` reads it: an array of `struct sock_filter`, as bytes.

    A program that was built for another architecture, such as 32-bit x86, is killed at its first system call, because
    system calls have other numbers there.

    Args:
        architecture: "x86_64" or "aarch64".
    """
    audit, *sockets = _ARCHITECTURES[architecture]
    forbidden = numbers(architecture)
    program: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    tests = [(_JUMP_GREATER_EQUAL, _X32)] if architecture == "x86_64" else []
    tests += [(_JUMP_EQUAL, number) for number in forbidden]
    families = list(SOCKET_FAMILIES.values())
    # `refuse`: index of the instruction that refuses a call, counted from the first test. Between the tests and this
    # instruction are: one test for each call that makes sockets, "allow", a load, and one test for each family.
    refuse = len(tests) + len(sockets) + 1 + 1 + len(families)
    for place, (code, value) in enumerate(tests):
        program.append((code, refuse - place - 1, 0, value))
    for place, number in enumerate(sockets):
        program.append((_JUMP_EQUAL, len(sockets) - place, 0, number))
    program += [(_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    for place, family in enumerate(families):
        program.append((_JUMP_EQUAL, len(families) - place, 0, family))
    program += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return _packed(program)


def _packed(program: Sequence[tuple[int, int, int, int]]) -> bytes:
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
