"""The walks of docs/architecture.md lead through files and names that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/architecture.md").read_text()
WALK = re.compile(r"^## (A walk: .*?)\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
WALKS: dict[str, str] = dict(WALK.findall(TEXT))
MODULE = re.compile(r"`([\w/]+\.py)`")
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.\w+)?)`")


@cache
def defined(path: str) -> frozenset[str]:
    """Functions, classes and their methods: "function", "Class", "Class.method"."""
    tree = ast.parse((ROOT / path).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {node.name for node in tree.body if isinstance(node, (*functions, ast.ClassDef))}
    for each in tree.body:
        if isinstance(each, ast.ClassDef):
            names |= {f"{each.name}.{f.name}" for f in each.body if isinstance(f, functions)}
    return frozenset(names)


def steps(title: str) -> list[str]:
    """The numbered steps and paragraphs of a walk."""
    return re.split(r"\n(?=\d+\. )|\n\n", WALKS[title])


def test_both_walks_are_there() -> None:
    assert list(WALKS) == [
        "A walk: a decision from worker to bot and back",
        "A walk: a result from match to page",
    ]


@pytest.mark.parametrize("title", WALKS)
def test_every_file_and_name_of_a_walk_exists(title: str) -> None:
    files = set(MODULE.findall(WALKS[title]))
    everywhere = set(chain.from_iterable(map(defined, files)))
    for step in steps(title):
        here = set(chain.from_iterable(map(defined, MODULE.findall(step))))
        first, *others = NAME.findall(step) or [""]
        if MODULE.findall(step) and first:
            assert first in here, f"{first} is not in {MODULE.findall(step)}"
        for name in others:
            assert name in everywhere or name in MENTIONED, f"{name}: {step}"


# Names of other files that a walk may mention.
MENTIONED = {"View", "Delivery"}


def test_the_walk_of_a_decision_is_in_order_and_numbered() -> None:
    title, *_ = WALKS
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", WALKS[title], re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 10
