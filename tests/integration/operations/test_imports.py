"""Packages can be imported in any order."""

import re
import subprocess
import sys
from pathlib import Path

from tests import each_first

TOP = Path(each_first.__file__).parents[1]


def test_every_package_can_be_the_first_one_imported() -> None:
    command = [sys.executable, each_first.__file__]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=100)

    assert done.returncode == 0, done.stdout + done.stderr
    found = re.fullmatch(r"(\d+) packages, 0 failed\n", done.stdout)
    assert found
    assert int(found[1]) > 50
