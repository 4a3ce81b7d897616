"""bot.toml: what it says, and what its author is told when it cannot be meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.base.errors import InvalidRequest
from arena.hosting.submission.files import File
from arena.hosting.submission.manifest import LARGEST, Manifest, from_json, of_files, parse

FULL = """
language = "python"
entry = "mybot.py:MyBot"
memory_mb = 300
dependencies = ["numpy"]
version = "2.1"
[environment]
DEPTH = "3"
"""


def test_a_full_manifest_is_read() -> None:
    assert parse(FULL.encode()) == Manifest(
        entry="mybot.py:MyBot",
        memory_mb=300,
        dependencies=("numpy",),
        version="2.1",
        environment={"DEPTH": "3"},
    )


def test_other_languages_say_a_command() -> None:
    node = parse(b'language = "node"\ncommand = ["node", "bot.js"]')
    assert (node.language, node.command, node.memory_mb) == ("node", ("node", "bot.js"), 256)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("entrypoint = 'a.py'", 'Unknown key "entrypoint" in bot.toml. Did you mean "entry"'),
        ("memory = 3", 'Unknown key "memory" in bot.toml. Did you mean "memory_mb"'),
        ("zzz = 3", 'Unknown key "zzz" in bot.toml. Did you mean'),
        ("language = 'cobol'", 'language in bot.toml is "cobol". It must be one of: python, node'),
        ("language = 3", 'is "3". It must be one of'),
        ("", "entry in bot.toml must be a file and its class"),
        ("entry = 7", "entry in bot.toml must be a file and its class"),
        ("entry = 'mybot:MyBot'", "entry in bot.toml must be a file and its class"),
        ("entry = '../mybot.py'", "is not a valid file name in a submission"),
        ("entry = 'a.py'\ncommand = ['x']", "A Python bot has no command"),
        ("language = 'node'", "command in bot.toml must be a list of words"),
        ("language = 'node'\ncommand = 'node bot.js'", "command in bot.toml must be a list"),
        ("language = 'node'\ncommand = ['']", "command in bot.toml must be a list"),
        ("language = 'node'\ncommand = ['a']\nentry = 'a.py'", "Only a Python bot has an entry"),
        ("entry = 'a.py'\nmemory_mb = '64'", "memory_mb in bot.toml must be a number"),
        ("entry = 'a.py'\nmemory_mb = true", "memory_mb in bot.toml must be a number"),
        ("entry = 'a.py'\nmemory_mb = 31", "32 or more"),
        ("entry = 'a.py'\ndependencies = ['numpy==2']", "without versions"),
        ("entry = 'a.py'\nversion = 2", "version in bot.toml must consist"),
        ("entry = 'a.py'\nversion = '-2'", "starting with a letter or digit"),
        ("entry = 'a.py'\n[environment]\nDEPTH = 3", "table of at most 64 strings"),
        ("entry = 'a.py'\nenvironment = 'x'", "table of at most 64 strings"),
        ("entry = 'a.py'\n[environment]\nARENA_TOKEN = 'x'", "prefix ARENA_ is reserved"),
        ("entry = 'a.py'\n[environment]\n'A B' = 'x'", '"A B" cannot be a variable'),
        ("entry = ", "bot.toml is not valid TOML"),
        ("entry = 'a.py'\nmemory_mb = " + "9" * 5000, "bot.toml is not valid TOML"),
        ("a = " + 60_000 * "[", "bot.toml is not valid TOML"),
        ("#" * (LARGEST + 1), "larger than 64 kB"),
        ('entry = "a\\u0000.py"', "is not a valid file name"),
    ],
)
def test_invalid_manifest_is_explained(text: str, said: str) -> None:
    with pytest.raises(InvalidRequest, match=said) as raised:
        parse(text.encode())
    assert str(raised.value)[-1] in ".?"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="not valid UTF-8"):
        parse(b"\xff")


@given(st.binary(max_size=100) | st.text(max_size=100).map(str.encode))
def test_any_manifest_gives_only_sentences(content: bytes) -> None:
    for read in (parse, from_json):
        try:
            read(content)
        except InvalidRequest:
            continue


def test_as_json_it_is_the_same_and_is_checked_again() -> None:
    manifest = parse(FULL.encode())
    assert from_json(manifest.to_json()) == manifest
    with pytest.raises(InvalidRequest, match="memory_mb"):
        from_json(manifest.to_json().replace("300", "-1"))
    with pytest.raises(InvalidRequest, match="not a table"):
        from_json("[]")


def test_an_organiser_allows_memory_and_packages() -> None:
    manifest = parse(FULL.encode())
    manifest.check_allowed(300, {"numpy"})
    with pytest.raises(InvalidRequest, match="is 300. The limit of this arena is 256"):
        manifest.check_allowed(256, {"numpy"})
    with pytest.raises(InvalidRequest, match="depends on numpy, which .* It offers: none"):
        manifest.check_allowed(512, ())


def test_a_single_program_needs_no_manifest() -> None:
    assert of_files([File("bot.py", b"...")]) == Manifest(entry="bot.py")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["mybot.py", "other.py"], "There is no bot.toml"),
        (["mybot/bot.toml", "mybot/mybot.py"], "bot.toml is in mybot/, not at the root"),
        (["bot.toml", "other.py"], "bot.toml names mybot.py, which is not among the files"),
    ],
)
def test_file_named_by_a_manifest_must_exist(names: list[str], said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        of_files([File(name, FULL.encode()) for name in names])


def test_a_binary_must_be_there_and_what_node_runs_need_not() -> None:
    binary = File("bot.toml", b'language = "binary"\ncommand = ["./mybot", "--fast"]')
    node = File("bot.toml", b'language = "node"\ncommand = ["node", "bot.js"]')
    with pytest.raises(InvalidRequest, match="bot.toml names mybot"):
        of_files([binary])
    assert of_files([binary, File("mybot", b"\x7fELF", True)]).command[0] == "./mybot"
    assert of_files([node]).language == "node"
