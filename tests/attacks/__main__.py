"""See `tests.attacks`."""

import asyncio
import json
import platform
import sys
import tempfile
from collections import ChainMap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.base.errors import ArenaError
from arena.hosting.sandbox import python
from arena.hosting.sandbox.kinds import check, kinds
from arena.hosting.sandbox.sandbox import Sandbox
from tests.attacks.bots import (
    BY_PROGRAMS,
    BY_VARIABLES,
    CHARGED,
    CONTAINED,
    VARIABLES,
    by_attack,
    source,
    source_of_program,
)
from tests.attacks.numbers import NUMBERS
from tests.attacks.playing import Outcome, played

AT_ONCE = 12
PYTHON = (str(python.interpreter()), *python.OPTIONS, "attacker.py")  # as any executable


def sandbox_of(kind: str) -> Sandbox:
    """Return the sandbox of this kind. Raises SystemExit with a sentence."""
    lacks = "there is no such kind"
    for sandbox in kinds():
        if sandbox.name == kind:
            try:
                check(sandbox)
            except (ArenaError, OSError) as error:
                lacks = str(error)
            else:
                return sandbox
    raise SystemExit(lacks)


async def outcomes(sandbox: Sandbox, folder: Path, charged: Iterable[str]) -> dict[str, Outcome]:
    """Return the outcomes of all attackers; of CHARGED, only of those in `charged`."""
    secret = folder / "secret"
    secret.write_text("of the arena")
    secret.chmod(0o644)
    free = asyncio.Semaphore(AT_ONCE)

    async def some(names: Iterable[str], text: str, *how: Any) -> dict[str, Outcome]:
        home = _home(folder, text, secret)
        async with free:
            outcome = await played(sandbox, home, *how)
        output = by_attack(outcome.output, names)
        return {name: outcome._replace(output=output[name]) for name in names}

    async def programs() -> dict[str, Outcome]:
        found = await some(BY_PROGRAMS, source_of_program(BY_PROGRAMS), PYTHON)
        return {f"a program: {name}": outcome for name, outcome in found.items()}

    waiting = [
        # Attacks that play on share a process, to save time.
        some(CONTAINED, source(CONTAINED)),
        *(some([name], source({name: CHARGED[name]})) for name in charged),
        some(BY_VARIABLES, source(BY_VARIABLES), (), VARIABLES),
        programs(),
    ]
    return dict(ChainMap(*await asyncio.gather(*waiting)))


def _home(folder: Path, text: str, secret: Path) -> Path:
    """Create a folder with this attacker."""
    for word, number in NUMBERS[platform.machine()].items():
        text = text.replace(word, str(number))
    home = Path(tempfile.mkdtemp(dir=folder))
    home.chmod(0o755)
    (home / "attacker.py").write_text(text.replace("SECRET", str(secret)))
    return home


def main() -> None:
    """Print the outcomes."""
    kind, *only = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        results = asyncio.run(
            outcomes(sandbox_of(kind), Path(folder), () if only == ["contained"] else CHARGED)
        )
    json.dump({name: result._asdict() for name, result in results.items()}, sys.stdout)


if __name__ == "__main__":
    main()
