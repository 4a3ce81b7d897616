"""Checks the prose of the project against tests/prose/baseline.json.

python -m tests.prose                 fails if there is more translated idiom than the baseline allows
python -m tests.prose --lower         writes lower numbers after prose has improved
python -m tests.prose --show PART     prints the hits in files whose path has this part
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.prose.rules import COMPILED, RULES
from tests.prose.surfaces import Line, lines

BASELINE = Path(__file__).with_name("baseline.json")


class Hit(NamedTuple):
    """An idiom in a line."""

    line: Line
    rule: str
    found: str


def hits(prose: Iterable[Line]) -> Iterator[Hit]:
    """All idioms in these lines; code and addresses in them are skipped."""
    for line in prose:
        text = re.sub(r"`[^`]*`", "`x`", line.text)
        text = re.sub(r"<!--.*?-->", "", re.sub(r"https?://\S+", "URL", text))
        for rule, pattern in COMPILED.items():
            for match in pattern.finditer(text):
                yield Hit(line, rule, match.group().strip())


def counted(found: Iterable[Hit]) -> dict[str, dict[str, int]]:
    """Hits by surface, and by file."""
    surfaces, files = Counter[str](), Counter[str]()
    for hit in found:
        surfaces[hit.line.surface] += 1
        files[hit.line.file] += 1
    return {"surfaces": dict(sorted(surfaces.items())), "files": dict(sorted(files.items()))}


def excess(now: dict[str, dict[str, int]], allowed: dict[str, dict[str, int]]) -> list[str]:
    """The surfaces with more hits than they may have, each with the files that have more."""
    files = [name for name, count in now["files"].items() if count > allowed["files"].get(name, 0)]
    return [
        f"There are {count} translated idioms in {surface}, and {allowed['surfaces'].get(surface, 0)} "
        f"are allowed. Rewrite yours; these files have more than before: {', '.join(files)}. "
        "See them with: python -m tests.prose --show FILE"
        for surface, count in now["surfaces"].items()
        if count > allowed["surfaces"].get(surface, 0)
    ]


def main(arguments: list[str]) -> int:
    """The exit status."""
    found = list(hits(lines()))
    if arguments[:1] == ["--show"]:
        for hit in found:
            if arguments[1] in hit.line.file:
                where = f"{hit.line.file}:{hit.line.number}"
                print(f"{where}: {hit.rule}: “{hit.found}”: {RULES[hit.rule][1]}")
        return 0
    now, allowed = counted(found), json.loads(BASELINE.read_text())
    problems = excess(now, allowed)
    if not problems and arguments == ["--lower"]:
        BASELINE.write_text(json.dumps(now, indent=1) + "\n")
    print("\n".join(problems) or f"Prose: {len(found):,} translated idioms, none new.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
