"""`make bench-check` without its counting, which takes minutes and a counter."""

import subprocess
import sys

from tests.load.bench_check import tree_of

RUN_ALL = """
import arena
from tests.lab.bench.instructions import WORKLOADS
for run in WORKLOADS.values():
    run(1)
print(arena.__file__)
"""


def test_all_workloads_run_with_the_code_of_another_commit() -> None:
    with tree_of("HEAD") as tree:
        done = subprocess.run(
            [sys.executable, "-c", RUN_ALL], cwd=tree, capture_output=True, text=True, check=True
        )
    assert done.stdout.strip() == str(tree / "arena/__init__.py")
