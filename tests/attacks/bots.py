"""The attackers: each is the body of a bot's function `attack`, or of a match of a bot.

A contained attack prints "contained", and a successful one prints "THROUGH". A body may also end
the process, or never end. It can use `libc` and `system_call(number, ...)`, which raises OSError.
"""

from collections.abc import Iterable, Mapping
from textwrap import indent

CALLS = """
import asyncio, ctypes, errno, fcntl, mmap, os, resource, signal, socket, sys, threading, time

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

def system_call(*arguments):
    if libc.syscall(*[ctypes.c_long(one) for one in arguments]) < 0:
        raise OSError(ctypes.get_errno(), "")

def word():
    global kept
    kept = ctypes.c_int(2)
    return ctypes.addressof(kept)

def room():
    global buffer
    buffer = ctypes.create_string_buffer(512)
    return ctypes.addressof(buffer)

def attempt(what):
    try:
        what()
    except (OSError, RuntimeError, MemoryError, ValueError) as error:
        print("contained", type(error).__name__, getattr(error, "errno", ""))
    else:
        print("THROUGH")

def refused(what):
    # From the filter. Other errors would leak information, e.g. that a process does not exist.
    try:
        what()
    except OSError as error:
        return error.errno in (errno.EPERM, errno.ENOSYS)
    return False

def all_refused(attempts):
    through = [name for name, what in attempts.items() if not refused(what)]
    print("THROUGH" if through else "contained", *through)
"""

# Ways for two processes of a bot to exchange data. The parent stands for the other process.
ANOTHERS_CLOCK = """
clock = ~os.getppid() << 3 | 2
all_refused({
    "gettime": lambda: time.clock_gettime(clock),
    "getres": lambda: time.clock_getres(clock),
    "nanosleep": lambda: system_call(CLOCK_NANOSLEEP, clock, 0, room(), 0),
    "timer": lambda: system_call(TIMER_CREATE, clock, 0, room()),
})
"""
ANOTHERS_NUMBER = """
other = os.getppid()
all_refused({
    "robust list": lambda: system_call(GET_ROBUST_LIST, 0, room(), room()),
    "processors": lambda: os.sched_getaffinity(other),
    "limits": lambda: resource.prlimit(other, resource.RLIMIT_NOFILE),
    "group": lambda: os.getpgid(other),
    "session": lambda: os.getsid(other),
    "priority": lambda: os.getpriority(os.PRIO_PROCESS, other),
    "scheduler": lambda: os.sched_getscheduler(other),
    "existence": lambda: os.kill(other, 0),
    "descriptor": lambda: os.pidfd_open(other),
    "comparison": lambda: system_call(KCMP, os.getpid(), other, 0, 0, 0),
    "input and output": lambda: system_call(IOPRIO_GET, 1, other),
    "lock": lambda: system_call(FUTEX, word(), 0x80 | 6, 0, room(), 0, 0),
})
"""
IN_COMMON = """
one, _ = socket.socketpair()
page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
all_refused({
    "number of sockets": lambda: one.getsockopt(socket.SOL_SOCKET, 57, 8),
    "socket's options": lambda: one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096),
    "descriptors on their way": lambda: socket.send_fds(one, [b"x"], [1]),
    "equal pages": lambda: page.madvise(12),
    "pages of files": lambda: page.madvise(21),
    "huge pages": lambda: mmap.mmap(-1, 1 << 21, flags=0x40022),
    "barriers": lambda: system_call(MEMBARRIER, 1, 0, 0),
    "clock of the machine": lambda: system_call(CLOCK_ADJTIME, 0, room()),
})
"""
COUNTED = """
all_refused({
    "free memory": lambda: system_call(SYSINFO, room()),
    "inodes of pipes": os.pipe,
    "inodes of sockets": lambda: system_call(SOCKETPAIR, 1, 1, 0, room()),
})
"""
# Calls that must work.
ITS_OWN = """
thread = time.pthread_getcpuclockid(threading.get_ident())
for clock in (*range(4), time.CLOCK_BOOTTIME, ~0 << 3 | 2, thread):
    time.clock_gettime(clock)
    time.clock_getres(clock)
system_call(CLOCK_NANOSLEEP, 0, 0, room(), 0)
os.sched_getaffinity(0)
os.getpgid(0)
resource.getrlimit(resource.RLIMIT_NOFILE)
one, _ = socket.socketpair()
assert socket.socket(fileno=one.detach()).getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
asyncio.run(asyncio.sleep(0))
print("contained")
"""
ITS_OWN_AS_A_PROGRAM = f"""
time.clock_gettime(~os.getpid() << 3 | 2)
os.sched_getaffinity(os.getpid())
os.sched_getparam(0)
os.sysconf("SC_PHYS_PAGES")
os.pipe()

def in_a_thread():
    # For that, its processors are asked for by its number.
    assert libc.pthread_getattr_np(ctypes.c_void_p(threading.get_ident()), ctypes.byref(kept)) == 0
{indent(ITS_OWN.strip(), "    ")}

kept = ctypes.create_string_buffer(512)
thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
"""

HEAD = """
from arena.sdk import Bot

class Attacker(Bot):
    games = ("lama",)
    asked = 0

    def choose(self, view):
        self.asked += 1
        if self.asked == 1:
            attack()
        return view.actions[0]
"""
MARK = "== "  # before the place of an attack, on the line above its output


def source(bodies: Mapping[str, str]) -> str:
    """The file of a bot that does all of these when it is asked for the first time."""
    return _function(bodies) + HEAD


def source_of_program(bodies: Mapping[str, str]) -> str:
    """A program that does all of these at once, and ends. Its stdout is for messages."""
    return f"{_function(bodies)}\nsys.stdout = sys.stderr\nattack()\n"


def _function(bodies: Mapping[str, str]) -> str:
    """A function `attack` that does these in order."""
    parts, calls = [CALLS], ["def attack():"]
    for place, body in enumerate(bodies.values()):
        parts.append(f"def attack{place}():\n{indent(body.strip(), '    ')}\n")
        calls += [f"    print('{MARK}{place}')", f"    attack{place}()"]
    return "\n".join([*parts, *calls, ""])


def by_attack(output: str, names: Iterable[str]) -> dict[str, str]:
    """The output of each attack, without marks."""
    listed = list(names)
    found = dict.fromkeys(listed, "")
    for part in output.split(MARK)[1:]:
        place, _, said = part.partition("\n")
        found[listed[int(place)]] += said
    return found


# Attacks that must fail with an error, after which the bot plays on. None changes its process,
# except for the last, which uses up its descriptors.
CONTAINED = {
    "fork": "attempt(os.fork)",
    "a thread": "attempt(threading.Thread(target=print).start)",
    "another program": "attempt(lambda: os.execv(sys.executable, [sys.executable, '-c', '0']))",
    "signals to all": "attempt(lambda: os.kill(-1, signal.SIGKILL))",
    "signals to the parent": "attempt(lambda: os.kill(os.getppid(), signal.SIGKILL))",
    "signals by the kernel": "attempt(lambda: fcntl.fcntl(3, fcntl.F_SETOWN, os.getppid()))",
    "a signal of its choice": "attempt(lambda: fcntl.fcntl(3, fcntl.F_SETSIG, signal.SIGKILL))",
    "a lock that others see": "attempt(lambda: fcntl.lockf(open('attacker.py'), fcntl.LOCK_SH))",
    "a futex that others see": "attempt(lambda: system_call(FUTEX, word(), 1, 1, 0, 0, 0))",
    "waiting for others": """
try:
    system_call(FUTEX, word(), 0, 1, 0, 0, 0)
except OSError as error:  # EAGAIN, where it may wait
    print("contained" if error.errno == errno.EPERM else "THROUGH")
""",
    "the clock of another process": ANOTHERS_CLOCK,
    "another process by its number": ANOTHERS_NUMBER,
    "what processes have in common": IN_COMMON,
    "what is counted for all": COUNTED,
    "its own clocks and limits, which it may read": ITS_OWN,
    "TCP": "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))",
    "TCP over IPv6": "attempt(lambda: socket.socket(socket.AF_INET6, socket.SOCK_STREAM))",
    "UDP": "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))",
    "datagrams to sockets by name": "attempt(lambda: socket.socketpair(type=socket.SOCK_DGRAM))",
    "pairs of other families": "attempt(lambda: socket.socketpair(30, socket.SOCK_SEQPACKET))",
    "UNIX sockets": "attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))",
    "netlink": "attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))",
    "raw sockets": "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))",
    "virtual sockets": "attempt(lambda: socket.socket(40, socket.SOCK_STREAM))",
    "packets": "attempt(lambda: socket.socket(17, socket.SOCK_RAW))",
    "ptrace": "attempt(lambda: system_call(PTRACE, 16, os.getppid(), 0, 0))",
    "others' memory": "attempt(lambda: system_call(PROCESS_VM_READV, os.getppid(), 0, 0, 0, 0, 0))",
    "io_uring": "attempt(lambda: system_call(425, 8, 0))",
    "the kernel's keys": "attempt(lambda: system_call(KEYCTL, 0, -3, 1))",
    "namespaces": "attempt(lambda: system_call(UNSHARE, 0x10000000))",
    "a mount": "attempt(lambda: system_call(MOUNT, 0, 0, 0, 0, 0))",
    "BPF": "attempt(lambda: system_call(BPF, 0, 0, 0))",
    "files in memory": "attempt(lambda: system_call(MEMFD_CREATE, 0, 0))",
    "the time of day": "attempt(lambda: time.clock_settime(time.CLOCK_REALTIME, 0))",
    "higher limits": "import resource\nattempt(lambda: resource.setrlimit(7, (999, 999)))",
    "a timer": "attempt(lambda: signal.setitimer(signal.ITIMER_REAL, 1))",
    "passwords": "attempt(lambda: open('/etc/passwd').read())",
    "its own process": "attempt(lambda: open('/proc/self/environ').read())",
    "the parent's process": "attempt(lambda: open(f'/proc/{os.getppid()}/mem', 'rb').read())",
    "the arena's files": "attempt(lambda: open('SECRET').read())",
    "its own folder": "attempt(lambda: open('written', 'w'))",
    "temporary files": "attempt(lambda: open('/tmp/written', 'w'))",
    "shared memory": "attempt(lambda: open('/dev/shm/written', 'w'))",
    "a device": "attempt(lambda: open('/dev/null'))",
    "memory": "attempt(lambda: bytearray(400 * 1024 * 1024))",
    "many files": "attempt(lambda: [os.dup(1) for _ in range(1000)])",
}

# Variables that an author may set in bot.toml. They only affect the bot's process, which has no
# privileges left. "." is the bot's folder, where there is no Python.
VARIABLES = {
    "PYTHONHOME": ".",
    "LD_PRELOAD": "./attack.so",
    **{f"LONG_{number}": "\N{SNOWMAN}" * 4096 for number in range(60)},
}
BY_VARIABLES = {
    "variables that change what is run": """
home, preload, last = (os.environ.get(each) for each in ("PYTHONHOME", "LD_PRELOAD", "LONG_59"))
print("contained" if (home, preload, len(last)) == (".", "./attack.so", 4096) else "THROUGH")
"""
}

# Attacks that must end the process or the decision, and are charged to the bot.
CHARGED = {
    "exit": "os._exit(0)",
    "what others have open": "print('pipe', os.fstat(0).st_ino, flush=True)\nos._exit(0)",
    "SystemExit": "raise SystemExit(0)",
    "abort": "os.abort()",
    "a wild pointer": "ctypes.string_at(8)",
    "a recursion in C": "x = None\nfor _ in range(10**5): x = [x]\nrepr(x)",
    "thinking for ever": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
    "sleeping for ever": "time.sleep(1000)",
    "a flood of output": "while True: print('x' * 65536)",
    "bytes that are no message": "os.write(3, b'\\x05hello')\ntime.sleep(1000)",
    "a message without end": "os.write(3, b'\\xff\\xff\\xff\\xff' * 10)\ntime.sleep(1000)",
    "a second Hello": "os.write(3, b'\\x02\\x0a\\x00')\ntime.sleep(1000)",
    "an answer in its own name": """
frame = sys._getframe(3).f_locals
answer = bytes([0x12, 11, 0x12, 8]) + frame["ticket"].to_bytes(8, "little")
answer = answer[:2]  # never finished
os.write(3, answer)
while True: pass
""",
    "an exception": "raise ValueError('as you wish')",
    "a bomb of memory": "kept = []\nwhile True: kept.append(bytearray(1 << 20))",
}

# The same for programs with their own executable, which have more rights.
BY_PROGRAMS = {
    "signals to the parent": "attempt(lambda: system_call(TGKILL, os.getppid(), os.getppid(), 0))",
    "signals to all": "attempt(lambda: os.kill(-1, 0))",
    "fork": "attempt(os.fork)",
    "TCP": "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))",
    "signals by the kernel": "attempt(lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid()))",
    "the arena's files": "attempt(lambda: open('SECRET').read())",
    "a futex that others see": "attempt(lambda: system_call(FUTEX, word(), 1, 1, 0, 0, 0))",
    "another process, and what both have in common": ANOTHERS_CLOCK + ANOTHERS_NUMBER + IN_COMMON,
    "its own clocks and limits, which it may read": ITS_OWN_AS_A_PROGRAM,
    "its own threads, which it may have": """
thread = threading.Thread(target=print, args=("contained",))
thread.start()
thread.join()
""",
    "threads without end": """
limit = resource.getrlimit(resource.RLIMIT_NPROC)[1]
print("contained" if 0 < limit <= 4096 else "THROUGH")
""",
}
