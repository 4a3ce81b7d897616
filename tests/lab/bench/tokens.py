"""The requests of a bot with a language model, counted in a server of this process."""

import asyncio
import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from arena.bots import HOUSE
from arena.games.rules import View
from arena.kit.new.languages import LANGUAGES, files
from arena.sdk import play
from arena.sdk.asking import answer
from tests.language_model import Server, language_model, says

CHARACTERS = 4  # of a token


@dataclass(frozen=True, slots=True)
class Tokens:
    """Means of a match of one bot."""

    game: str
    seats: int
    decisions: float
    tokens: float  # in the requests


def measure(game: str, seats: int, matches: int) -> Tokens:
    """Plays matches between a bot whose model answers as `sharp`, and `sharp` itself."""
    sharp, named = HOUSE["sharp"](), [""]
    with (
        TemporaryDirectory() as folder,
        language_model(lambda _: says(f"[{named[0]}]")) as server,
        patch.dict(os.environ, LLM_URL=server.url, LLM_MODEL="tiny", LLM_REASONING=folder),
        patch.dict(os.environ, LLM_BUDGET_TOKENS="1000000000"),
    ):
        bot = _new_bot(Path(folder))
        decide = bot.decide

        def decided(view: View) -> str:
            chosen = asyncio.run(answer(sharp, view))  # in a thread without a loop
            named[0] = chosen if isinstance(chosen, str) else _named(view, chosen)
            return str(decide(view))

        bot.decide = decided
        for seed in range(matches):
            record = play([bot, *(HOUSE["sharp"]() for _ in range(seats - 1))], game, seed)
            assert record["result"]["faults"][0] is None
        return Tokens(game, seats, len(server.asked) / matches, _tokens(server) / matches)


def _new_bot(folder: Path) -> Any:
    """The bot of `arena new asker --language llm`."""
    for name, text in files(LANGUAGES["llm"], "asker").items():
        (folder / name).write_text(text)
    with patch.object(sys, "path", [str(folder), *sys.path]):
        importlib.invalidate_caches()
        module = importlib.import_module("asker")
    for name in ("asker", "chat"):  # so that the next one reads its settings
        del sys.modules[name]
    del module.Asker.on_match_ended  # which prints a line
    return module.Asker()


def _named(view: View, index: int) -> str:
    return view.actions[view.indices.index(index)]


def _tokens(server: Server) -> float:
    texts = (message["content"] for asked in server.asked for message in asked["messages"])
    return sum(map(len, texts)) / CHARACTERS
