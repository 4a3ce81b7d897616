"""See `tests.attacks`."""

from __future__ import annotations

import asyncio
import json
import platform
import sys
import tempfile
from pathlib import Path

from arena.errors import ArenaError
from arena.jail import python
from arena.jail.find import check, kinds
from arena.jail.jail import Jail
from tests.attacks.bots import (
    BY_PROGRAMS,
    BY_VARIABLES,
    CHARGED,
    CONTAINED,
    NUMBERS,
    VARIABLES,
    source,
    source_of_program,
)
from tests.attacks.playing import Outcome, played

AT_ONCE = 12
PYTHON = (str(python.interpreter()), *python.OPTIONS, "attacker.py")  # as any executable

Named = tuple[str, Outcome]


def jail_of(kind: str) -> Jail:
    """The jail of this kind, as it works here. Raises SystemExit with a sentence."""
    lacks = "there is no such kind"
    for jail in kinds():
        if jail.name == kind:
            try:
                check(jail)
            except (ArenaError, OSError) as error:
                lacks = str(error)
            else:
                return jail
    raise SystemExit(lacks)


async def outcomes(jail: Jail, folder: Path) -> dict[str, Outcome]:
    """What became of each attacker."""
    secret = folder / "secret"
    secret.write_text("of the arena")
    secret.chmod(0o644)
    numbers = NUMBERS[platform.machine()]
    free = asyncio.Semaphore(AT_ONCE)

    async def one(place: int, name: str, text: str, command: tuple[str, ...]) -> Named:
        for word, number in numbers.items():
            text = text.replace(word, str(number))
        home = folder / str(place)
        home.mkdir(mode=0o755)
        (home / "attacker.py").write_text(text.replace("SECRET", str(secret)))
        async with free:
            variables = VARIABLES if name == BY_VARIABLES else {}
            return name, await played(jail, home, place, command, variables)

    bots = [(name, source(body), ()) for name, body in {**CONTAINED, **CHARGED}.items()]
    programs = [
        (f"a program: {name}", source_of_program(body), PYTHON)
        for name, body in BY_PROGRAMS.items()
    ]
    everyone = [one(place, *each) for place, each in enumerate([*bots, *programs])]
    return dict(await asyncio.gather(*everyone))


def main() -> None:
    """Prints the outcomes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        results = asyncio.run(outcomes(jail_of(sys.argv[1]), Path(folder)))
    json.dump({name: result._asdict() for name, result in results.items()}, sys.stdout)


if __name__ == "__main__":
    main()
