"""Starts bubblewrap so that bots cannot use the user's keys in Linux, and do not run as root even if the referee does.

In Linux, the session keyring and the mount namespace are properties of a thread. A child process inherits them from the
thread that starts it. One thread of this process starts all sandboxes. Before each start, this thread changes its
keyring and its namespace:

* The thread joins a new, empty session keyring. Otherwise a bot could read the keys of the user who started the
  referee, and could leave keys for other bots.
* If the referee runs as root, bots run as an unprivileged user. This user cannot look into folders such as /root, but a
  bot's own files may be there. So root mounts the files that the bot may see at paths that the user can reach, in a
  mount namespace that ends with the bot. On file systems that support idmapped mounts (Linux 5.12), the files in the
  mounts appear to belong to the bot's user. So the bot can read even files that only their owner may read.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path

from lapilli.core.errors import OutOfResources
from lapilli.players.processes.launcher import NotStartedError, open_process
from lapilli.players.processes.procfs import contents
from lapilli.players.sandbox.syscalls import machine

Command = Callable[[Sequence[str]], Sequence[str]]
"""A function that returns bubblewrap's command line. Its argument is a list of paths: where bubblewrap finds each of
the files and folders that the bot may see.
"""

_USER = 65533
"""User id of bots if the referee runs as root. In a user namespace without this id, the highest existing id is used.
The user `nobody` is not used, because it may own files.
"""
_STAGE = "/tmp"
"""Folder in which root mounts the files that a bot may see. Only the bubblewrap of this bot sees these mounts."""
_NO_RIGHT = (errno.EPERM, errno.ENOSYS)
"""Error numbers that mean: root may not mount here, as in most containers; or Linux is older than 5.2."""

# linux/sched.h, linux/mount.h, linux/fcntl.h, linux/keyctl.h
_CLONE_NEWNS = 0x20000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x8, 0x4000, 0x40000
_AT_FDCWD, _AT_RECURSIVE, _AT_EMPTY_PATH = -100, 0x8000, 0x1000
_OPEN_TREE_CLONE = 0x1
_MOVE_MOUNT_F_EMPTY_PATH = 0x4
_MOUNT_ATTR_IDMAP = 0x100000
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442  # the same on all architectures
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1


def start(
    command: Command, places: Sequence[str], environment: Mapping[str, str], descriptors: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Starts a sandbox in a session of its own, with pipes for stdin, stdout and stderr.

    Args:
        command: function that returns bubblewrap's command line. Its argument is a list with the path at which
            bubblewrap finds each of `places`, in the same order.
        places: absolute paths of files and folders that the bot may see.
        environment: environment variables of the sandbox.
        descriptors: descriptors that the sandbox inherits besides the pipes.

    Raises:
        OSError: the system refuses to start the process.
        NotStartedError: the user as which the bot runs may not read one of `places`.
        OutOfResources: the machine has run out of resources.
    """
    try:
        starting = _thread().submit(_start, command, places, environment, descriptors)
    except RuntimeError as error:  # no thread can be started
        raise OutOfResources(f"no process can be started for a bot: {error}") from error
    try:
        return starting.result()
    except KeyboardInterrupt:
        wait([starting])  # only a process that has started can be ended
        if not starting.exception():
            with starting.result() as process:
                process.kill()
        raise


def unprivileged_user() -> int | None:
    """Returns the user id as which bots run; None if this process does not run as root, or if root is the only user."""
    return _user_of((contents("/proc/self/uid_map") or b"").decode()) if os.geteuid() == 0 else None


def _user_of(uid_map: str) -> int | None:
    """Returns the user id as which bots of root run; None if root is the only user. `uid_map`: contents of
    /proc/self/uid_map.
    """
    ranges = [(int(first), int(first) + int(many)) for first, _, many in map(str.split, uid_map.splitlines())]
    if any(first <= _USER < end for first, end in ranges):
        return _USER
    last = max((end - 1 for _, end in ranges), default=0)
    return min(last, _USER) if last > 0 else None


@cache
def _thread() -> ThreadPoolExecutor:
    """Returns the executor whose only thread starts sandboxes.

    The thread runs as long as this process, because every bubblewrap ends when the thread that started it ends.
    """
    return ThreadPoolExecutor(1, "sandboxes")


os.register_at_fork(after_in_child=_thread.cache_clear)  # a forked process has no such thread


def _start(
    command: Command, places: Sequence[str], environment: Mapping[str, str], descriptors: Sequence[int]
) -> subprocess.Popen[bytes]:
    _join_new_keyring()
    user = unprivileged_user()
    open_sandbox = partial(open_process, cwd="/", environment=environment, descriptors=descriptors)
    if user is None:
        return open_sandbox(command(places))
    try:
        found: Sequence[str] = _staged(places, user)
    except OSError as error:
        if error.errno not in _NO_RIGHT:
            raise
        for place in places:
            _check_reachable(place)
        found = places
    if wrapper := _as_user(user):
        return open_sandbox([*wrapper, *command(found)])
    return open_sandbox(command(found), user=user)


@cache
def _as_user(user: int) -> tuple[str, ...]:
    """Returns the first words of a command line that runs a program as `user`; empty if no program can do this.

    Python can do it, too, but must then copy its own page tables (fork instead of vfork). For a process that has loaded
    kernels, this takes longer than the whole sandbox.
    """
    words = (shutil.which("setpriv") or "", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--")
    try:
        works = subprocess.run([*words, "/bin/sh", "-c", "exit 0"], capture_output=True).returncode == 0
    except OSError:
        return ()
    return words if works else ()


def _join_new_keyring() -> None:
    """Replaces the session keyring of this thread by a new one without keys.

    Errors are ignored, for example on a system without keyrings: the sandbox forbids all system calls for keys anyway.
    """
    number = _KEYCTL.get(machine())
    if number is not None:
        _libc().syscall(number, _JOIN_SESSION_KEYRING, None)


# ------------------------------------------------------------------------------------ mounts, by root


def _staged(places: Sequence[str], user: int) -> list[str]:
    """Mounts files and folders at paths that `user` can reach, in a new mount namespace of this thread.

    Returns:
        The path of each mount, in the order of `places`.

    Raises:
        OSError: the system refuses to make a mount.
        NotStartedError: the user would not be allowed to read one of `places`.
    """
    _enter_new_namespace()
    with ExitStack() as stack:
        trees = []
        for place in places:  # all places are opened before the first mount, which might hide one of them
            tree = _tree(place, user)
            stack.callback(os.close, tree)
            trees.append(tree)
        _call("mount", b"tmpfs", _STAGE.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, b"mode=755")
        targets = [f"{_STAGE}/{number}" for number in range(len(trees))]
        for tree, target in zip(trees, targets, strict=True):
            if stat.S_ISDIR(os.fstat(tree).st_mode):
                os.mkdir(target)
            else:
                os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600))
            _call("syscall", _MOVE_MOUNT, tree, b"", _AT_FDCWD, target.encode(), _MOVE_MOUNT_F_EMPTY_PATH)
    return targets


def _enter_new_namespace() -> None:
    """Moves this thread into a new mount namespace, which is a copy of the namespace of this process.

    The thread thereby leaves the namespace of the sandbox that it started before. That namespace ends with its sandbox.
    """
    if _original_namespace.cache_info().currsize:
        _call("setns", _original_namespace(), _CLONE_NEWNS)
    _original_namespace()
    _call("unshare", _CLONE_NEWNS)
    _call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)


@cache
def _original_namespace() -> int:
    """Returns a descriptor of this process's mount namespace."""
    return os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)


def _tree(place: str, user: int) -> int:
    """Makes a mount that shows the file or folder `place`, not attached to a path yet. Returns its descriptor.

    On a file system with idmapped mounts, files that belong to the owner of `place` appear to belong to `user` in the
    mount. On other file systems, NotStartedError is raised unless everybody may read `place`.
    """
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_RECURSIVE
    tree = _call("syscall", _OPEN_TREE, _AT_FDCWD, os.fsencode(place), flags)
    try:
        status = os.fstat(tree)
        try:
            mapping = _mapping(status.st_uid, status.st_gid, user)
            idmap = _MountAttributes(attr_set=_MOUNT_ATTR_IDMAP, userns_fd=mapping)
            whole = _AT_EMPTY_PATH | _AT_RECURSIVE
            _call("syscall", _MOUNT_SETATTR, tree, b"", whole, ctypes.byref(idmap), ctypes.sizeof(idmap))
        except OSError:
            _check_readable(place, status)
    except BaseException:
        os.close(tree)
        raise
    return tree


class _MountAttributes(ctypes.Structure):
    """The attributes of a mount, as the Linux system call `mount_setattr` reads them (`struct mount_attr`)."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("attr_set", "attr_clr", "propagation", "userns_fd")]


@cache
def _mapping(owner: int, group: int, user: int) -> int:
    """Returns the descriptor of a user namespace, with which a mount shows files as if they belonged to another user.

    On disk, the files belong to the user `owner` and the group `group`. In a mount with this namespace, they appear to
    belong to the user and the group with the id `user`.
    """
    code = "import ctypes, sys; print(ctypes.CDLL(None).unshare(0x10000000), flush=True); sys.stdin.read()"
    words = [sys.executable, "-ISc", code]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        if process.stdout.readline().strip() != b"0":
            raise OSError(errno.EPERM, "no user namespace can be made")
        for file, outside in (("uid_map", owner), ("gid_map", group)):
            with open(f"/proc/{process.pid}/{file}", "w") as table:
                table.write(f"{outside} {user} 1")
        return os.open(f"/proc/{process.pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)


def _check_reachable(place: str) -> None:
    """Raises NotStartedError if an unprivileged user cannot reach or cannot read the file or folder `place`."""
    real = Path(os.path.realpath(place))
    for folder in real.parents:
        if not folder.stat().st_mode & stat.S_IXOTH:
            raise _only_root(str(folder))
    _check_readable(place, real.stat())


def _check_readable(place: str, status: os.stat_result) -> None:
    """Raises NotStartedError unless everybody may read the file or folder `place`. `status`: result of `os.stat` for
    it.
    """
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(status.st_mode) else 0)
    if status.st_mode & needed != needed:
        raise _only_root(place)


def _only_root(place: str) -> NotStartedError:
    return NotStartedError(
        f"{place} can be read by its owner alone, and bots of root run as another user: chmod -R o+rX {place}"
    )


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(function: str, *arguments: object) -> int:
    """Calls a C library function with `arguments`, and returns its result. Raises OSError if it reports an error."""
    result: int = getattr(_libc(), function)(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
