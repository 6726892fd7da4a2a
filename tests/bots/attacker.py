"""A bot that attacks: does what its first argument names, with the words behind it, and answers whether it could.

It needs nothing but Python itself, as it runs in the sandbox.
"""

import ctypes
import errno
import itertools
import mmap
import os
import resource
import signal
import socket
import sys
import termios
import time

NAME, *WORDS = (word.removeprefix("its@") for word in sys.argv[1:])  # what a command names as a file is shown
LIBC = ctypes.CDLL(None, use_errno=True)


def text(path):
    with open(path, errors="replace") as file:
        return file.read()


def others():
    """The numbers of processes that are not this bot's own."""
    for name in os.listdir("/proc"):
        if name.isdecimal() and int(name) not in (1, os.getpid()):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as words:
                    own = b"attacker.py" in words.read()
            except OSError:
                own = True
            if not own:
                yield int(name)


def open_for_writing(*roots):
    """Opens every file below some folders for writing, and writes nothing."""
    for root in roots:
        for folder, _, files in os.walk(root):
            for file in files:
                try:
                    os.close(os.open(os.path.join(folder, file), os.O_WRONLY | os.O_NONBLOCK))
                except OSError:
                    continue
                if not folder.startswith(f"/proc/{os.getpid()}") and not folder.startswith("/proc/self"):
                    return os.path.join(folder, file)
    return None


def write_settings():
    found = open_for_writing("/proc/sys", "/sys", "/proc/irq", "/proc/bus")
    if found:
        return found
    for file in ("sysrq-trigger", "kcore", "self/oom_score_adj", "self/../mtrr"):
        try:
            os.close(os.open(f"/proc/{file}", os.O_WRONLY))
        except OSError:
            continue
        return file
    return None


def forbidden_calls(*numbers):
    """The first of these system calls that says anything but EPERM. (With arguments that can do no harm.)"""
    for number in map(int, numbers):
        ctypes.set_errno(0)
        LIBC.syscall(number, -1, 0, 0, 0, 0, 0)
        if ctypes.get_errno() != errno.EPERM:
            return f"{number}: {errno.errorcode.get(ctypes.get_errno(), 'done')}"
    return None


def socket_families():
    """The first kind of socket but the three usual ones that it gets; EPERM is what it should see."""
    for family in range(1, 46):
        if family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
            continue
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            try:
                socket.socket(family, kind).close()
            except OSError as error:
                if error.errno == errno.EPERM:
                    continue
            return f"family {family}"
    return None


def read_files(*paths):
    for path in paths:
        try:
            with open(path, "rb") as file:
                if file.read():
                    return path
        except OSError:
            continue
    return None


def write_files(*paths):
    for path in paths:
        try:
            with open(path, "wb") as file:
                file.write(b"here I was")
        except OSError:
            continue
        return path
    return None


def spy(secret):
    for pid in others():
        for file in ("environ", "cmdline"):
            found = read_files(f"/proc/{pid}/{file}")
            if found and secret in text(found):
                return found
    return None


def send_signals():
    os.kill(-1, 0)
    return next(others(), None)


def connect(port, name):
    for family, address in (
        (socket.AF_INET, ("127.0.0.1", int(port))),
        (socket.AF_UNIX, f"\0{name}"),
    ):
        try:
            with socket.socket(family) as one:
                one.settimeout(2)
                one.connect(address)
        except OSError:
            continue
        return str(address)
    return None


def echo(terminal):
    with open(terminal, "rb+", buffering=0) as file:
        modes = termios.tcgetattr(file)
        modes[3] &= ~termios.ECHO
        termios.tcsetattr(file, termios.TCSANOW, modes)
    return terminal


def make_namespaces():
    for flag in (0x10000000, 0x20000, 0x40000000, 0x2000000):
        if LIBC.unshare(flag) == 0:
            return hex(flag)
    child = LIBC.syscall(56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0) if os.uname().machine == "x86_64" else -1
    if child == 0:
        os._exit(0)
    return "clone" if child > 0 else None


def become_somebody():
    for change in (os.setuid, os.setgid):
        for number in (0, 1001):
            try:
                change(number)
            except OSError:
                continue
            return change.__name__
    for file in ("/usr/bin/su", "/usr/bin/mount", "/usr/bin/passwd", "/usr/bin/bwrap"):
        if os.path.exists(file) and os.stat(file).st_mode & 0o6000:
            return None if "NoNewPrivs:\t1" in text("/proc/self/status") else file
    return None


def raise_limits():
    for name in ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_CORE"):
        limit = getattr(resource, name)
        most = resource.getrlimit(limit)[1]
        try:
            resource.setrlimit(limit, (most + 1, most + 1))
        except (OSError, ValueError):
            continue
        return name
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -5)
    except OSError:
        return None
    return "priority"


def set_machine():
    for what in (lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()), lambda: socket.sethostname("mine")):
        try:
            what()
        except OSError:
            continue
        return "clock or name"
    return None


def see_load():
    if text("/proc/loadavg").split()[0] != "0.00":
        return "load"
    return next(iter(os.listdir("/proc/pressure")), None) if os.path.isdir("/proc/pressure") else None


def see_keys(description):
    """A key of the host's, by what it is called: also by the list that needs no system call of keys."""
    if read_files("/proc/keys") and description in text("/proc/keys"):
        return "/proc/keys"
    found = LIBC.syscall({"x86_64": 249, "aarch64": 218}[os.uname().machine], b"user", description.encode(), None, 0)
    return f"key {found}" if found >= 0 else None


def devices():
    for name in ("mem", "kmsg", "sda", "vda", "loop-control", "fuse", "kvm", "net/tun", "input/event0"):
        try:
            os.close(os.open(f"/dev/{name}", os.O_RDONLY))
        except OSError:
            continue
        return name
    try:
        os.mknod("/tmp/device", 0o20600, os.makedev(1, 1))
    except OSError:
        return None
    return "mknod"


# What follows is ended from outside, or stopped by a bound.


def eat(how, megabytes):
    size = int(megabytes) << 20
    kept = []
    if how == "hidden":
        LIBC.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: nobody may look at its pages
    if how == "shared":
        kept.append(mmap.mmap(-1, size, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
        for place in range(0, size, 4096):
            kept[0][place] = 1
    elif how == "children":
        for _ in range(8):
            if os.fork() == 0:
                kept.append(bytearray(size // 8))
                signal.pause()
    elif how == "memfd":
        for number in itertools.count():
            file = os.memfd_create(f"file {number}")
            for _ in range(60):
                os.write(file, bytes(1 << 20))
            if number * 60 > int(megabytes):
                break
    else:
        kept.append(bytearray(size))
    time.sleep(2)
    return f"{megabytes} MB"


def share(megabytes, readers):
    """Memory that many processes share is there once: what a bot may do."""
    table = mmap.mmap(-1, int(megabytes) << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    for place in range(0, len(table), 4096):
        table[place] = 1
    for _ in range(int(readers)):
        if os.fork() == 0:
            sum(table[place] for place in range(0, len(table), 4096))
            signal.pause()
    time.sleep(1)
    return


def fill(megabytes, *folders):
    for folder in folders:
        with open(f"{folder}/full", "wb") as file:
            try:
                for _ in range(int(megabytes)):
                    file.write(bytes(1 << 20))
            except OSError:
                continue
        return folder
    return None


def make_files(number):
    for one in range(int(number)):
        os.close(os.open(f"/tmp/{one}", os.O_CREAT, 0o600))
    time.sleep(1)
    return number


def breed(number):
    for _ in range(int(number)):
        try:
            if os.fork() == 0:
                signal.pause()
        except OSError:
            return None
    return number


def compute():
    while True:
        pass


def flee(word):
    """Leaves a process behind in a session of its own, without a word of environment."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, "-ISc", "import time; time.sleep(99)", word], {})
        os._exit(0)
    os.wait()
    time.sleep(0.2)
    return


ATTACKS = {
    "settings": write_settings,
    "calls": forbidden_calls,
    "sockets": socket_families,
    "read": read_files,
    "write": write_files,
    "spy": spy,
    "signal": send_signals,
    "connect": connect,
    "echo": echo,
    "namespaces": make_namespaces,
    "become": become_somebody,
    "limits": raise_limits,
    "machine": set_machine,
    "load": see_load,
    "keys": see_keys,
    "devices": devices,
    "eat": eat,
    "share": share,
    "fill": fill,
    "files": make_files,
    "breed": breed,
    "compute": compute,
    "flee": flee,
}
while os.read(0, 65536):
    try:
        done = ATTACKS[NAME](*WORDS)
    except (OSError, MemoryError, ValueError):
        done = None
    os.write(1, f"could: {done}\n".encode() if done is not None else b"could not\n")
