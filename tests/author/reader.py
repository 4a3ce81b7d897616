"""Types the lines of a page like its reader, with values for its placeholders."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.author.newcomer import Machine, Website, play_a_test_match, wait
from tests.browser.arena import Arena
from tests.docs.blocks import ROOT, blocks

# Pages play many matches for a result; two of one round are enough to test the command.
SIZES = re.compile(r"(--(?:deals|matches|max-deals|rounds|decisions|worst)) \d+")
SMALLER = {
    r"^(.*arena play --versus (?!.*--max-deals).*)$": r"\1 --max-deals 2",
    r"^(.*arena play (?!.*--(?:deals|max-deals)).*)$": r"\1 --deals 2",
    r"^(arena play search.*) --deals 2(.*)$": r"\1 --deals 1\2",  # searches are slow
    r"^(.*arena play (?!.*--jobs).*)$": r"\1 --jobs 1 --option max_rounds=1",
    r"^(arena check .*)$": r"\1 --matches 1",
    r"^(arena analyse (?!.*--match(?:es)?\b)(?=.*--(?:worst|leaks)).*)$": r"\1 --matches 1",
    r"--agreement 5": "--agreement 2",
    r"^python train_policy\.py": "python train_policy.py --iterations 1",
}
# Commands that run until Ctrl-C, and their output once they work.
LASTING = {
    r"arena bot connect|python (mybot|search)\.py$": "onnected",
    r"arena check .*--listen": "Waiting for a bot",
    r"arena replay": "Replays at",
    r"arena up$": "Dashboard",
}
# Lines on several pages with the same effect; each is typed once for each program.
ONCE = re.compile(r"pip install |arena (?:check|play) (?!.*--out)")
# Lines that these tests cannot run, with the reasons.
NOT_HERE = {
    r"docker ": "no container engine",
    r"python -m tests.lab": "it needs a clone; tests/lab has its tests",
    r"(arena play|python) thinker": "test_llm_bot.py has a model for it",
    r"arena check .node mybot": "the page of Node.js is tried by itself",
}
FAILING = """
from arena.sdk import Bot


class MyBot(Bot):
    def choose(self, view):
        raise ValueError("as the page says")
"""


def smaller(line: str) -> str:
    """The line with as little to play as possible."""
    line = SIZES.sub(r"\1 2", line)
    for pattern, instead in SMALLER.items():
        line = re.sub(pattern, instead, line)
    return line


@dataclass
class Reader:
    """The reader of a page, with a separate folder."""

    machine: Machine
    website: Website
    arena: Arena
    folder: Path
    tokens: dict[str, str] = field(default_factory=dict)  # by bot name

    def __post_init__(self) -> None:
        """Creates the README's bot and an older version of it."""
        # This reader's bot, which the page calls mybot.
        self.name = f"mybot-{self.folder.name}-{self.machine.home.parent.name}"
        (code,) = (b.text for b in blocks(ROOT / "README.md") if b.language == "python")
        for folder in (self.folder, self.folder / "old"):
            folder.mkdir()
            (folder / "mybot.py").write_text(code)
        (self.folder / "requirements.in").write_text("colorama\n")

    def type(self, line: str) -> str:
        """Types a line and returns its output. Raises Failed."""
        line = re.sub(r"\s+#.*$", "", line)
        if any(re.match(pattern, line) for pattern in NOT_HERE):
            return ""
        line = self._filled_in(line)
        if line.startswith("arena debug"):
            return self._debug()
        for pattern, printed in LASTING.items():
            if re.search(pattern, line):
                return self._start(line, printed)
        if "bot submit" in line:
            wait(lambda: not self._is_building(), "an upload is still being built")
        if not ONCE.match(line):
            return self._run(line)
        known = (line, *(file.read_text() for file in self._named(line)))
        if known not in self.machine.typed:
            self.machine.typed[known] = self._run(line)
        return self.machine.typed[known]

    def _named(self, line: str) -> list[Path]:
        """Returns the programs that a line names."""
        files = (self.folder / name for name in re.findall(r"[\w/]+\.py\b", line))
        return [file for file in files if file.exists()]

    def _run(self, line: str) -> str:
        # Exported variables apply to the following lines.
        if line.startswith("export "):
            return ""
        return self.machine.run(line, str(self.folder), self._variables())

    def _start(self, line: str, printed: str) -> str:
        with self.machine.running(line, str(self.folder), self._variables()) as log:
            wait(lambda: printed in log.read_text(), f"`{line}` has not printed {printed!r}")
            return log.read_text()

    def _debug(self) -> str:
        """Plays a bot that fails, and runs the command that the output recommends."""
        (self.folder / "failing.py").write_text(FAILING)
        play = "arena play failing.py sharp --seats 2 --deals 1 --jobs 1"
        said = self.machine.run(play, str(self.folder), traceback=True)
        again = re.findall(r"arena debug .+", said)[0]
        line = f"{again} --no-debugger"
        shown = self.machine.run(line, str(self.folder), fails=True, traceback=True)
        assert "as the page says" in shown
        return shown

    def _filled_in(self, line: str) -> str:
        line = smaller(line)
        if line.startswith(("arena bot version", "arena tournament new")):
            line = re.sub(r"(?<= )mybot(?![.\w])", self.name, line)
        line = re.sub(r"^(arena match explain .*)$", r"\1 --seat 1", line)
        line = line.replace("http://HOST:7421", self.website.address)
        line = line.replace("0.0.0.0:7420", "127.0.0.1:0").replace(" foo", " colorama")
        if line.startswith("arena bot output"):
            line = f"arena bot output {self._process_run()}"
        if found := re.match(r"arena bot (source|rollback) 7(.*)", line):
            line = f"arena bot {found[1]} {self._submission()}{found[2]}"
        return line

    def _submission(self) -> str:
        """The number of the first accepted submission."""
        accepted = r"submissions/(\d+)(?:(?!submissions/)[\s\S])*accepted"
        return str(re.findall(accepted, self._page("submissions"))[-1])

    def _process_run(self) -> str:
        """Plays a test match of the hosted bot; returns the number of its process run."""
        about = f"/api/bots/{self.name}"  # a rollback needs a moment
        wait(
            lambda: self.website.json(about)["connection"]["state"] == "connected",
            "the hosted bot is not running",
        )
        play_a_test_match(self.website, self.name)
        wait(lambda: bool(self._runs()), "no run is listed")
        return self._runs()[0]

    def _runs(self) -> list[str]:
        return re.findall(r"runs/(\d+)", self._page("runs"))

    def _is_building(self) -> bool:
        return bool(re.search(r"building|validating", self._page("submissions")))

    def _page(self, about: str) -> str:
        """The main part of a page about the bot, as seen by its owner."""
        self._token()  # creates the bot
        page = self.website.page(f"/my/bots/{self.name}/{about}")
        return page.partition("<main")[2].partition("</main>")[0]

    def _variables(self) -> dict[str, str]:
        told = json.loads((self.arena.data / "arena.json").read_text())
        return {
            "ARENA_URL": self.arena.gateway,
            "ARENA_DASHBOARD": self.website.address,
            "ARENA_ADMIN_TOKEN": told["admin_token"],
            "ARENA_TOKEN": self._token(),
        }

    def _token(self) -> str:
        name = self.name
        if name not in self.tokens:
            self.tokens[name] = self.website.create_bot(name)
        return self.tokens[name]
