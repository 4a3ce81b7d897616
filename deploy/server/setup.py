"""Builds the server's wheel; run by pip, as pyproject.toml beside it says."""

import sys
from pathlib import Path

from setuptools import setup

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import wheels  # puts this tree before whatever is installed

from arena import __version__

setup(
    version=__version__,
    cmdclass={
        "build": wheels.Build,
        "build_py": wheels.BuildServer,
        "bdist_wheel": wheels.BdistWheel,
        "egg_info": wheels.EggInfo,
    },
)
