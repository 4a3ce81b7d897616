"""Compares instruction counts of fixed workloads with another commit: `make bench-check`.

    python -m tests.load.bench_check [--pure] [REVISION]

The default revision is HEAD, which shows the effect of uncommitted changes.

Both versions are counted on this machine with the same Python. If a workload takes over 3% more,
the command names it and exits with status 1. With a C compiler, compiled code is counted, too,
unless `--pure` is given.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.lab.bench.instructions import TIMES, WORKLOADS, CannotRun, NoCounter, counted

ROOT = Path(__file__).parents[2]
WORSE = 1.03


@contextmanager
def tree_of(revision: str) -> Iterator[Path]:
    """The code of a commit in a directory. Raises SystemExit for an unknown commit."""
    archive = subprocess.run(
        ["git", "archive", revision, "arena", "workers"], cwd=ROOT, capture_output=True, check=False
    )
    if archive.returncode:
        raise SystemExit(f"There is no commit {revision}: {archive.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        for name in ("instructions", "one_worker"):
            bench = Path(folder, f"tests/lab/bench/{name}.py")
            bench.parent.mkdir(parents=True, exist_ok=True)
            bench.write_text((ROOT / f"tests/lab/bench/{name}.py").read_text())
        yield Path(folder)


def compiles(tree: Path) -> bool:
    """Compiles the code in a directory; returns whether that worked."""
    command = [sys.executable, "deploy/compile.py", "--root", str(tree)]
    subprocess.run(command, cwd=ROOT, check=True)
    return (tree / "arena/_compiled").exists()


def main(revision: str, only_pure: bool) -> int:
    """Compares with the revision and returns the exit status."""
    with tree_of(revision) as before, ThreadPoolExecutor(2) as pool:
        compiled = not only_pure and all(list(pool.map(compiles, [before, ROOT])))
        print(f"{'':20}{revision[:12]:>14}{'now':>14}")
        worse = sum(compare(pool, before, pure) for pure in ([True, False] if compiled else [True]))
    return 1 if worse else 0


def _counted(name: str, tree: Path, pure: bool) -> int | None:
    """The instructions of a workload; None if the code in the directory does not support it."""
    try:
        return counted(name, tree, pure)
    except CannotRun:
        return None


def compare(pool: ThreadPoolExecutor, before: Path, pure: bool) -> int:
    """Prints the counts of each workload now and before; returns the number that got slower."""
    idle = list(pool.map(lambda tree: counted("lama", tree, pure, times=0), [before, ROOT]))
    asked = [(name, tree, pure) for name in WORKLOADS for tree in (before, ROOT)]
    found = iter(pool.map(lambda each: _counted(*each), asked))
    worse = 0
    for name, was, now in zip(WORKLOADS, found, found, strict=True):
        if was is None or now is None:
            print(f"{name:10}{'':10}{'cannot run' if was is None else '':>14}", flush=True)
            continue
        ratio = (now - idle[1]) / (was - idle[0])
        worse += ratio > WORSE
        figures = f"{(was - idle[0]) / TIMES:14,.0f}{(now - idle[1]) / TIMES:14,.0f}{ratio:8.3f}"
        how, note = "pure" if pure else "compiled", "  <- worse" if ratio > WORSE else ""
        print(f"{name:10}{how:10}{figures}{note}", flush=True)
    return worse


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pure", action="store_true", help="only pure Python")
    parser.add_argument("revision", nargs="?", default="HEAD")
    asked = parser.parse_args()
    try:
        sys.exit(main(asked.revision, asked.pure))
    except NoCounter as error:
        sys.exit(str(error))
