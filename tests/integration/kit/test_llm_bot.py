"""`arena new --language llm`: a bot that asks a language model."""

import asyncio
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from arena.bots import HOUSE
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import View
from arena.kit import commands
from arena.sdk import play
from arena.sdk.notes import Notebook
from tests.language_model import Reply, Server, language_model, legal_actions, says

KEY = "sk-secret-1234"
Start = Callable[..., tuple[Any, Server]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "asker"
    assert commands.run("new", [str(made), "--language", "llm"]) == 0
    return made


@pytest.fixture
def start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a server that gives these replies, the last one again and again, and a new bot."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    with ExitStack() as stack:

        def started(*replies: Reply | None, **settings: str) -> tuple[Any, Server]:
            left = list(replies)

            def reply(asked: dict[str, Any]) -> Reply:
                chosen = left.pop(0) if len(left) > 1 else left[0]
                return chosen or says(f"[{legal_actions(asked)[0]}]")

            server = stack.enter_context(language_model(reply))
            known = {"LLM_URL": server.url, "LLM_MODEL": "tiny", "LLM_KEY": KEY} | settings
            for name, value in known.items():
                monkeypatch.setenv(name, value)
            module = importlib.import_module("asker")
            monkeypatch.setattr(sys.modules["chat"], "PAUSE_S", 0.001)
            bot = module.Asker()
            bot.prepare()
            return bot, server

        yield started
    for name in ("asker", "chat"):
        sys.modules.pop(name, None)


def view_of(game: str = "lama") -> View:
    view = Match(MatchSetup("m/1", game, bytes(16), tuple(map(Seat, "abc")))).decision
    assert view is not None
    return view


def answer(bot: Any) -> str:
    chosen: str = asyncio.run(bot.choose(view_of()))
    return chosen


def failure(bot: Any) -> str:
    """What the arena learns of the fault."""
    with pytest.raises(Exception, match=r"^The language model") as error:
        answer(bot)
    assert type(error.value).__name__ == "NoAnswer"
    return str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "[play 2]",
        "play 2",
        "I could [draw], but a 2 fits.\n\n**[Play 2]**",
        "<think>[quit] or [draw]?</think>Action: [ play 2 ]\n",
    ],
)
def test_the_model_answers_with_the_name_of_an_action(start: Start, text: str) -> None:
    bot, server = start(says(text))

    assert answer(bot) == "play 2"

    (asked,) = server.asked
    assert asked["model"] == "tiny"
    assert asked["max_tokens"] == 1000
    rules, question = (message["content"] for message in asked["messages"])
    assert "Get rid of your cards" in rules
    assert question == view_of().text()
    assert server.paths == ["/v1/chat/completions"]


def test_the_key_is_sent_in_its_header_only_and_the_reasoning_stays_here(
    start: Start, folder: Path
) -> None:
    bot, server = start(says("First thought.\n[draw]"))

    assert answer(bot) == "draw"

    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(server.asked)
    (file,) = (folder / "reasoning").iterdir()
    assert file.name == "m_1.jsonl"
    line = json.loads(file.read_text())
    assert (line["number"], line["action"]) == (1, "draw")
    assert line["answer"] == "First thought.\n[draw]"


def thinks(thoughts: str, text: str) -> Reply:
    message = {"role": "assistant", "content": text, "reasoning_content": thoughts}
    return Reply(json.dumps({"choices": [{"message": message}]}).encode())


def test_the_reasoning_is_a_note_that_waits_for_the_end_of_the_match(start: Start) -> None:
    bot, _ = start(thinks("They fear a llama.", "[play 6]"), thinks("x" * 2000, "[draw]"))
    bot.notebook = Notebook()

    assert answer(bot) == "draw"

    ((match, seat, texts),) = bot.notebook.take("m/1")
    assert (match, seat) == ("m/1", 0)
    assert texts[1].startswith("[play 6]\nThey fear a llama.\n[draw]\nxxx")
    assert len(texts[1]) == 1000
    assert texts[1].endswith("x…")


def test_the_notes_can_be_switched_off(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    bot, _ = start(says("[draw]"), LLM_NOTES="0")

    assert answer(bot) == "draw"

    assert not bot.takes_notes
    assert capsys.readouterr().err == ""


def test_a_wrong_name_is_asked_again_with_the_error(start: Start) -> None:
    bot, server = start(says("I take the [play 6]."), says("[draw]"))

    assert answer(bot) == "draw"

    *_, wrong, error = server.asked[1]["messages"]
    assert wrong == {"role": "assistant", "content": "I take the [play 6]."}
    assert error["content"].startswith("[play 6] is not a legal action.")
    assert "[play 2], [play 3], [draw], [quit]" in error["content"]


def test_two_wrong_names_are_a_fault_that_does_not_tell_the_answers(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, server = start(says("My secret plan is to [bluff]."))

    record = play([bot, HOUSE["sharp"]()], seed=1, fault_limit=1000)

    faults = [
        move["fault"] for each in record["rounds"] for move in each["moves"] if "fault" in move
    ]
    assert faults
    assert bot.faults == len(faults) == len(server.asked) / 2
    told = capsys.readouterr().err
    assert "named no legal action in two answers. Played instead: quit." in told
    assert "secret plan" not in told


BUSY = Reply(b"slow down", 429, {"Retry-After": "0"})


@pytest.mark.parametrize(
    "first",
    [
        BUSY,
        Reply(b"oops", 500),
        Reply(b"{broken"),
        Reply(b'{"choices": []}'),
        Reply(b"[]"),
        Reply(b"x" * 2_000_000),
    ],
    ids=["429", "500", "broken JSON", "no choices", "no object", "huge"],
)
def test_after_a_failure_of_the_server_the_bot_tries_again(start: Start, first: Reply) -> None:
    bot, server = start(first, says("[draw]"))

    assert answer(bot) == "draw"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("reply", "says_why", "requests"),
    [
        (Reply(b"", 503), "status 503", 3),
        (Reply(b"", 429, {"Retry-After": "3600"}), "status 429", 1),
        (Reply(KEY.encode(), 401), "status 401", 1),
        (Reply(b"null"), "AttributeError", 3),
        (Reply(hangs=True), "a timeout", 1),
    ],
)
def test_a_server_that_does_not_recover_is_a_fault(
    start: Start,
    capsys: pytest.CaptureFixture[str],
    reply: Reply,
    says_why: str,
    requests: int,
) -> None:
    bot, server = start(reply, LLM_MOVE_S="0.5" if reply.hangs else "25")

    assert failure(bot) == f"The language model gave no answer: {says_why}."
    assert len(server.asked) == requests
    assert KEY not in capsys.readouterr().err


def test_a_server_that_sends_for_ever_is_a_fault(start: Start) -> None:
    bot, _ = start(None, LLM_MOVE_S="-0.9")
    over = Event()
    bot.decide = lambda _: over.wait(60)  # stands for headers that never end

    async def choose() -> None:
        try:
            await bot.choose(view_of())
        finally:
            over.set()

    with pytest.raises(Exception, match="no answer in time"):
        asyncio.run(choose())


def test_redirects_are_not_followed(start: Start) -> None:
    with language_model(lambda _: says("[draw]")) as other:
        bot, _ = start(Reply(b"", 302, {"Location": f"{other.url}/chat/completions"}))

        assert "status 302" in failure(bot)
        assert not other.asked


def test_an_answer_without_text_is_a_wrong_name(start: Start) -> None:
    bot, server = start(says(None), says("[draw]"))

    assert answer(bot) == "draw"
    assert server.asked[1]["messages"][2]["content"] == "..."


def test_without_budget_the_bot_plays_on_and_warns_once(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    spent = says("[draw]", usage={"total_tokens": 600})
    bot, server = start(spent, LLM_BUDGET_TOKENS="1000")

    assert [answer(bot) for _ in range(4)] == ["draw", "draw", "quit", "quit"]

    assert len(server.asked) == 2
    assert capsys.readouterr().err.count("WARNING: The budget is spent") == 1


def test_tokens_are_estimated_if_the_server_does_not_count_them(start: Start) -> None:
    bot, server = start(says("[draw]"))

    answer(bot)

    assert bot.chat.tokens == pytest.approx(len(json.dumps(server.asked[0])) / 4, rel=0.1)


@pytest.mark.parametrize(
    ("settings", "says_why"),
    [
        ({"LLM_URL": "file:///etc"}, "Set LLM_URL"),
        ({"LLM_MODEL": ""}, "LLM_MODEL"),
        ({"LLM_KEY": "sk-\nsecret"}, "LLM_KEY contains characters"),
    ],
)
def test_bad_settings_are_told_before_the_bot_connects(
    start: Start, settings: dict[str, str], says_why: str
) -> None:
    with pytest.raises(ValueError, match=says_why) as error:
        start(None, **settings)
    assert "secret" not in str(error.value)


def test_a_folder_that_cannot_be_written_is_told_once(
    start: Start, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "reasoning").write_text("a file")
    bot, _ = start(says("[draw]"))

    assert [answer(bot), answer(bot)] == ["draw", "draw"]
    assert capsys.readouterr().err.count("Set LLM_REASONING") == 1


@pytest.mark.long
def test_it_passes_its_own_test(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_it_plays_whole_matches_in_arena_play(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with language_model(lambda asked: says(f"Well. [{legal_actions(asked)[0]}]")) as server:
        monkeypatch.setenv("LLM_URL", server.url)
        monkeypatch.setenv("LLM_MODEL", "tiny")

        players = [str(folder / "asker.py"), "sharp", "careful"]
        options = ["--deals", "1", "--jobs", "1", "--seed", "1", "--move-time", "300000"]
        assert commands.run("play", [*players, "--game", "kadabra", *options]) == 0

    assert not (folder / "play-faults.jsonl").exists()
    files = list((folder / "reasoning").iterdir())
    assert len(files) == 3, "one for each rotation of the seats"
    kept = sum(len(file.read_text().splitlines()) for file in files)
    assert kept == len(server.asked) > 20
