"""The examples on the pages work: code runs, and commands exist."""

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import redis

from arena.bots import HOUSE
from arena.operations.supervise import ports
from arena.sdk import Bot, play
from arena.service.health.services import check_clocks
from arena.service.live.clocks import REDIS
from arena.service.live.clocks import clocks_with_redis as clocks
from tests.author.recommended import PAGES as FOR_AUTHORS
from tests.docs import commands
from tests.docs.blocks import PAGES, ROOT, RUN, Block, blocks, code_spans, name
from tests.docs.shell import shell
from tests.docs.world import Reader, World, environment, health, readme_followed
from tests.servers import redis_server

pytestmark = pytest.mark.timeout(400)

ALL = [block for page in PAGES for block in blocks(page)]
OF_EVERY_KIND = {REDIS, "gateway", "worker", "beat", "dashboard", "house", "host"}
SEVERAL_MACHINES = ROOT / "docs" / "deploying.md"


def typed(page: Path) -> list[Block]:
    """The commands of a page to type. `tests/author` types all of the pages for authors; these
    tests only those with output to compare."""
    return [
        block
        for block, following in pairwise([*blocks(page), None])
        if block and block.runs and block.language == "sh"
        if page not in FOR_AUTHORS or (following and following.mark == "output")
    ]


BY_READERS = [
    page for page in PAGES if page.name not in ("README.md", SEVERAL_MACHINES.name) and typed(page)
]
WITH_PYTHON = [page for page in PAGES if any(block.language == "python" for block in blocks(page))]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One arena for all pages."""
    with readme_followed(tmp_path_factory.mktemp("reader")) as world:
        yield world


def marked(mark: str) -> list[Block]:
    return [block for block in ALL if block.mark == mark]


# Every block is one or the other


@pytest.mark.parametrize("block", ALL, ids=str)
def test_block_is_run_or_gives_a_reason(block: Block) -> None:
    assert block.runs or block.mark, f"{block} has a language outside {RUN} and gives no reason"
    assert block.mark != "not run" or block.said, f"{block} gives no reason for not being run"
    if block.language == "json" and block.runs:
        json.loads(block.text)


def test_there_are_blocks_of_every_kind() -> None:
    assert {block.language for block in ALL if block.runs} >= {"python", "sh"}
    assert {block.mark for block in ALL} == {"", "not run", "file", "output", "record"}


# Run


def test_commands_of_the_readme_work(world: World) -> None:
    assert re.search(r"^mybot +1 +yes ", world.printed, re.MULTILINE)
    assert "finished; 42 of 42 matches played" in world.printed
    for bot in ("mybot", *HOUSE):
        assert re.search(rf"^ *\d  {bot} +\d+ ± ", world.printed, re.MULTILINE), bot


@pytest.mark.parametrize("page", BY_READERS, ids=name)
def test_commands_of_a_page_work(page: Path, world: World) -> None:
    with world.another_reader() as reader:
        follow(page, reader)


def test_separate_processes_form_an_arena(postgres_url: str, open_folder: Path) -> None:
    """PostgreSQL, Redis and each process run separately, as on several machines. Under root, a
    host needs a folder that is readable for its bots, which run as other users."""
    with redis_server() as redis_url:
        gateway, dashboard = ports.any_free("127.0.0.1"), ports.any_free("127.0.0.1")
        env = environment(
            ARENA_PORT=str(gateway), ARENA_DASHBOARD_PORT=str(dashboard), ARENA_WORKERS="1"
        )
        with shell(open_folder, env) as opened:
            reader = Reader(opened, open_folder, {
                "postgresql://arena:...@db/arena": postgres_url,
                "redis://:...@redis:6379/0": redis_url,
                "ADMIN_TOKEN=...": "ADMIN_TOKEN=secret",
                "127.0.0.1:7420": f"127.0.0.1:{gateway}",
            })  # fmt: skip
            follow(SEVERAL_MACHINES, reader)
            reader.wait(lambda: health(f"http://127.0.0.1:{dashboard}")["problems"] == [])
            told = health(f"http://127.0.0.1:{dashboard}")
            assert (told["gateways"], told["workers"], told["sweeping"]) == (1, 1, True)
            with redis.Redis.from_url(redis_url) as client:
                reader.wait(lambda: {each.process for each in clocks(client)} == OF_EVERY_KIND)
                assert [each for each in check_clocks(clocks(client)) if each.state != "fine"] == []


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name)
def test_the_python_of_a_page_runs_and_prints_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)  # so that files can import each other
    namespace: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in blocks(page):
        block.save(tmp_path)
        sys.modules.pop(block.said.removesuffix(".py"), None)  # may be another page's file
        if block.mark == "output" and printed:
            assert alike(printed, block.text), f"{block}: it prints\n{printed}"
        if block.language == "python" and block.runs:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), namespace)
            printed = out.getvalue()
        elif block.language == "sh":
            printed = ""  # what follows is what the commands print


def follow(page: Path, reader: Reader) -> None:
    """Types the lines of a page, and compares the output with the page."""
    printed, to_type = "", typed(page)
    for block in blocks(page):
        block.save(reader.data.parent)
        if block in to_type:
            printed = reader.type(block)
        elif block.language == "python":
            printed = ""  # the output below it is its own
        elif block.mark == "output" and printed:
            assert alike(printed, block.text), f"{block}: it prints\n{printed}"


def alike(printed: str, shown: str) -> bool:
    """Whether a text matches the page, where "..." matches anything and all whitespace is equal."""
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in shown.split("..."))
    return bool(re.fullmatch(pattern, " ".join(printed.split())))


# Checked without running


@pytest.mark.parametrize("block", [b for b in marked("not run") if b.language == "sh"], ids=str)
def test_commands_that_are_not_run_exist(block: Block) -> None:
    assert commands.problems(block.text.splitlines(), whole=True) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_within_sentences_exist(page: Path) -> None:
    assert commands.problems(code_spans(page), whole=False) == []


@pytest.mark.parametrize("block", marked("record"), ids=str)
def test_a_record_has_the_shape_that_is_shown(block: Block) -> None:
    class Broken(Bot):
        def choose(self, view: Any) -> int:
            raise ValueError

    bots = [HOUSE["sharp"](), HOUSE["five"](), Broken()]
    record = play(bots, game=block.said, seed=1, fault_limit=1, options={"max_rounds": "100"})
    shown = set(paths(without_gaps(block.text)))

    assert shown <= set(paths(record))
    if "format" in shown:
        assert shown == set(paths(record))


def without_gaps(text: str) -> Any:
    """The JSON of a page, without "..." and the remarks after it."""
    text = re.sub(r"(?<=[\]},])\s{3,}\w.*$", "", text, flags=re.MULTILINE)
    return json.loads(re.sub(r",\s*\.\.\.|\.\.\.(?=\])", "", text))


def paths(value: Any, above: str = "") -> Iterator[str]:
    """All keys of an object, nested as in `result.points`; [] is any index of a list."""
    if isinstance(value, dict):
        for key, inner in value.items():
            path = f"{above}.{key}" if above else key
            yield path
            yield from paths(inner, path)
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{above}[]")
