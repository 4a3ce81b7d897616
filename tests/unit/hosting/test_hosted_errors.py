"""What an author reads of a process that failed: its error, and no folder of the host."""

import sys
from pathlib import Path

import pytest

from arena.hosting.hosted.program import PACKAGE, Program
from arena.hosting.hosted.report import hint, telling, without_folders

FOLDER = Path("/srv/arena/hosting/hosted/0123abcd")
NODE = Program(FOLDER, command=("/usr/bin/node", "mybot.mjs"), executable=Path("/usr/bin/node"))
PYTHON = Program(FOLDER, entry="mybot.py")

MISSING_MODULE = f"""node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '@grpc/grpc-js'
Require stack:
- {FOLDER}/mybot.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Object.<anonymous> ({FOLDER}/mybot.js:4:1)
  code: 'MODULE_NOT_FOUND',
}}

Node.js v20.20.2
"""
MISSING_PACKAGE = f"""node:internal/modules/esm/resolve:873
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'grpc' imported from {FOLDER}/mybot.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)

Node.js v20.20.2
"""
SYNTAX = f"""file://{FOLDER}/mybot.mjs:3
const x = ;
          ^

SyntaxError: Unexpected token ';'
    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)

Node.js v20.20.2
"""
TRACEBACK = f"""loaded
Traceback (most recent call last):
  File "{FOLDER}/mybot.py", line 3, in <module>
    import lib.nets
  File "{FOLDER}/lib/nets.py", line 8, in <module>
    json.loads("x")
  File "{Path(json_file := sys.modules["json"].__file__ or "").parent}/decoder.py", line 337, in x
    obj, end = self.raw_decode(s)
json.decoder.JSONDecodeError: Expecting value:
line 1 column 1 (char 0)
"""
PANIC = """panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
\t/home/ada/bot/main.go:7 +0x1d
"""
RUST = """thread 'main' panicked at src/main.rs:2:5:
no cards
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
CPP = """terminate called after throwing an instance of 'std::runtime_error'
  what():  no cards
"""
LOADER = f"{FOLDER}/mybot: error while loading shared libraries: libx.so: cannot open\n"


@pytest.mark.parametrize(
    ("program", "written", "told"),
    [
        (NODE, MISSING_MODULE, "Error: Cannot find module '@grpc/grpc-js' (mybot.js:4)"),
        (
            NODE,
            MISSING_PACKAGE,
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'grpc' imported from mybot.mjs",
        ),
        (NODE, SYNTAX, "SyntaxError: Unexpected token ';' (mybot.mjs:3)"),
        (
            PYTHON,
            TRACEBACK,
            "json.decoder.JSONDecodeError: Expecting value: (lib/nets.py, line 8)",
        ),
        (NODE, PANIC, "panic: runtime error: index out of range [5] with length 3"),
        (NODE, RUST, "thread 'main' panicked at src/main.rs:2:5: no cards"),
        (
            NODE,
            CPP,
            "terminate called after throwing an instance of 'std::runtime_error' what():  no cards",
        ),
        (
            NODE,
            LOADER,
            "mybot: error while loading shared libraries: libx.so: cannot open",
        ),
        (NODE, "first\nthe last\n\n", "the last"),
        (NODE, "x\n\nNode.js v20.20.2\n", "x"),
        (NODE, "", ""),
    ],
)
def test_the_line_that_tells_what_went_wrong(program: Program, written: str, told: str) -> None:
    assert telling(without_folders(program, written)) == told


def test_an_author_without_a_package_reads_where_packages_are_explained() -> None:
    text = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'torch'\n"
    assert hint(PYTHON, text).endswith("/docs/submitting#packages")
    assert hint(NODE, text) == ""


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("Error: first\n{0}last\n", "Error: first"),
        ("{0}Error: late\nlast\n", "Error: late"),
        ("{0}Error: between\n{0}last\n", "last"),
    ],
)
def test_only_both_ends_of_long_output_are_searched(written: str, told: str) -> None:
    assert telling(written.format("drew a card\n" * 10_000)) == told


def test_no_folder_of_the_host_is_shown() -> None:
    written = "\n".join(
        [
            f"{FOLDER}/a.py file://{FOLDER}/b.mjs:3 in {FOLDER}: '{FOLDER}'",
            f"{FOLDER}-other/a.py",
            f'File "{PACKAGE}/sdk/bot.py"',
            "/usr/bin/node: bad option",
        ]
    )
    assert without_folders(NODE, written).splitlines() == [
        "a.py b.mjs:3 in .: '.'",
        f"{FOLDER}-other/a.py",
        'File "<host>/arena/sdk/bot.py"',
        "node: bad option",
    ]


EPERM = "Error: connect EPERM 127.0.0.1:7420 - Local (undefined:undefined)"


def test_a_program_that_wants_a_network_is_told_how_to_talk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ARENA_DASHBOARD", "http://arena.example/")
    assert hint(NODE, f"hm\n{EPERM}\n") == (
        "Hosted programs have no network. Use stdin and stdout to talk to the host:"
        " http://arena.example/docs/submitting#programs-in-other-languages"
    )
    assert hint(PYTHON, "socket.socket(): PermissionError: [Errno 1] Operation not permitted")


TOKEN = "Error: ARENA_TOKEN is not a token. Copy it from http://arena.example/my/bots"  # no token
DIAL = "dial tcp 1.2.3.4:1: socket: operation not permitted"


@pytest.mark.parametrize("line", [DIAL, EPERM, TOKEN])
def test_attempts_of_several_languages_are_known(line: str) -> None:
    assert hint(NODE, line)


@pytest.mark.parametrize(
    "text", ["connected", "PermissionError: [Errno 1] Operation not permitted: 'x'", ""]
)
def test_other_errors_get_no_hint(text: str) -> None:
    assert hint(NODE, text) == ""
