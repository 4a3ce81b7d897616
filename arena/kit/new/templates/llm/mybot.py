"""MyBot asks a language model for each decision.

python mybot.py      connects to the arena at ARENA_URL with ARENA_TOKEN

LLM_URL, LLM_MODEL and LLM_KEY name the model; see README.md for all settings.
"""

import asyncio
import json
import os
import re
import sys
import time
from pathlib import Path

from arena.games.guides import prose
from arena.games.rules import game_class
from arena.sdk import Bot

from chat import Chat, NoAnswer, Spent

# For one decision. Keep it a few seconds below the tournament's time for a move.
MOVE_S = float(os.environ.get("LLM_MOVE_S", "25"))
# A file by match with each whole answer. It stays on this machine.
REASONING = Path(os.environ.get("LLM_REASONING", "reasoning"))

RULES = """You play a card game. These are its rules:

{rules}
Think briefly. End your answer with your action in square brackets, such as [quit]."""
RETRY = "{said} is not a legal action. Answer only with one of these: {legal}"


class MyBot(Bot):
    """Asks twice, then leaves the decision to the arena, which counts as a fault."""

    games = ("lama", "party", "dice", "kadabra")
    # Raise it if your server answers several requests at once.
    max_in_flight = int(os.environ.get("LLM_PARALLEL", "1"))
    # After a match, the arena gets the start of each answer, and shows it in the replay to you.
    takes_notes = os.environ.get("LLM_NOTES", "1") != "0"

    def prepare(self):
        self.chat, self.faults, self.warned = Chat(), 0, set()

    async def choose(self, view):
        thinking = asyncio.to_thread(self.decide, view)
        try:
            return await asyncio.wait_for(thinking, MOVE_S + 1)
        except TimeoutError:
            raise NoAnswer("The language model gave no answer in time.") from None

    def decide(self, view):
        deadline = time.monotonic() + MOVE_S
        rules = prose(game_class(view.game))
        messages = [
            {"role": "system", "content": RULES.format(rules=rules)},
            {"role": "user", "content": view.text()},
        ]
        try:
            for _ in range(2):
                answer, thoughts = self.chat.ask(messages, deadline)
                said = action_in(answer)
                legal = [action for action in view.actions if action.casefold() == said.casefold()]
                self.keep(view, answer, thoughts, legal)
                if legal:
                    return legal[0]
                legal = ", ".join(f"[{action}]" for action in view.actions)
                messages += [
                    {"role": "assistant", "content": answer[-2000:] or "..."},
                    {"role": "user", "content": RETRY.format(said=f"[{said[:50]}]", legal=legal)},
                ]
        except Spent:
            self.warn("The budget is spent. From now on, the bot plays without the model.")
            return "quit" if "quit" in view.actions else view.actions[-1]
        raise NoAnswer("The language model named no legal action in two answers.")

    def keep(self, view, answer, thoughts, legal):
        """Appends the answer to the match's file, and takes a note."""
        if self.takes_notes:
            self.note(view, f"{answer}\n{thoughts}")
        line = {"number": view.number, "round": view.round, "action": legal[0] if legal else None}
        line |= {"answer": answer, "thoughts": thoughts}
        try:
            REASONING.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^\w-]", "_", view.match)[:80]
            with (REASONING / f"{name}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            self.warn(f"{REASONING} cannot be written: {error.strerror}. Set LLM_REASONING.")

    def on_fault(self, fault):
        self.faults += 1
        super().on_fault(fault)

    def on_match_ended(self, ended):
        spent = f"{self.chat.tokens} tokens, {self.chat.seconds:.0f} s and {self.faults} faults"
        print(f"Match {ended.match} has ended. So far: {spent}.", file=sys.stderr)

    def warn(self, text):
        """Prints each warning once."""
        if text not in self.warned:
            self.warned.add(text)
            print(f"WARNING: {text}", file=sys.stderr)


def action_in(answer):
    """Returns the last text in square brackets, or the whole answer without brackets."""
    return (re.findall(r"\[([^\[\]]*)\]", answer) or [answer])[-1].strip()


if __name__ == "__main__":
    MyBot().run()
