"""The request flows of docs/architecture.md name files and functions that exist."""

import ast
import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/architecture.md").read_text()
FLOW = re.compile(r"^## (Request flow: .*?)\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
FLOWS: dict[str, str] = dict(FLOW.findall(TEXT))
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
    """Return the numbered steps and paragraphs of a flow."""
    return re.split(r"\n(?=\d+\. )|\n\n", FLOWS[title])


def test_both_flows_are_there() -> None:
    assert list(FLOWS) == [
        "Request flow: a decision",
        "Request flow: a result",
    ]


@pytest.mark.parametrize("title", FLOWS)
def test_every_file_and_name_of_a_flow_exists(title: str) -> None:
    files = set(MODULE.findall(FLOWS[title]))
    everywhere = set(chain.from_iterable(map(defined, files)))
    for step in steps(title):
        here = set(chain.from_iterable(map(defined, MODULE.findall(step))))
        first, *others = NAME.findall(step) or [""]
        if MODULE.findall(step) and first:
            assert first in here, f"{first} is not in {MODULE.findall(step)}"
        for name in others:
            assert name in everywhere or name in MENTIONED, f"{name}: {step}"


# Names of other files that a flow may mention.
MENTIONED = {"View", "Delivery"}


def test_the_flow_of_a_decision_is_in_order_and_numbered() -> None:
    title, *_ = FLOWS
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", FLOWS[title], re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 10
