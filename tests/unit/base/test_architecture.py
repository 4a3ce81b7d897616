"""Files and names in docs/architecture.md exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/architecture.md").read_text()
TOPS = ("arena", "workers", "dashboard")
MADE = {"arena/_compiled/"}  # where there is a C compiler
NAMED = sorted(
    set(re.findall(r"`((?:arena|workers|dashboard|proto|tests|docs)/[\w./-]*)`", TEXT)) - MADE
)
FLOW = TEXT.split("## Request flow: a result")[1].split("\n## ")[0]


@pytest.mark.parametrize("path", NAMED)
def test_what_is_named_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_the_flow_of_a_result_names_what_its_files_define() -> None:
    code = "\n".join(
        (ROOT / path).read_text() for path in NAMED if path in FLOW and path.endswith(".py")
    )
    names = [name for name in re.findall(r"`(\w+)`", FLOW) if name not in ("arena", "PROJECTIONS")]
    assert {"save_results", "MatchResult", "Change"} <= set(names)
    for name in names:
        assert re.search(rf"(?:class|def) {name}\b", code), name


def test_the_flow_of_a_result_is_in_the_order_of_the_projections() -> None:
    from arena.store.projections import PROJECTIONS

    modules = [type(each).__module__.rpartition(".")[2] for each in PROJECTIONS]
    places = [FLOW.index(f"{module}.py") for module in modules]
    assert places == sorted(places)


@pytest.mark.long
def test_the_table_of_packages_has_their_imports() -> None:
    rows = re.findall(r"^\| `(\w+)/` \| [^|]+ \| ([^|]*) \|$", TEXT, re.MULTILINE)
    told = {name: set(re.findall(r"\w+", imports)) for name, imports in rows}
    assert told == imported()


def imported() -> dict[str, set[str]]:
    """By package of `arena`, and for workers and dashboard: the packages of `arena` it imports."""
    found = dict[str, set[str]]()
    for file in [file for top in TOPS for file in (ROOT / top).rglob("*.py")]:
        parts = file.relative_to(ROOT).parts
        if "templates" in parts or (len(parts) < 3 and parts[0] == "arena"):
            continue
        package = parts[1] if parts[0] == "arena" else parts[0]
        names = found.setdefault(package, set())
        for node in ast.walk(ast.parse(file.read_text())):
            for name in _modules(node):
                _, _, rest = name.partition("arena.")
                if name.startswith("arena.") and (ROOT / "arena" / rest.split(".")[0]).is_dir():
                    names.add(rest.split(".")[0])
        names.discard(package)
    return found


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [each.name for each in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *[f"{node.module}.{each.name}" for each in node.names]]
    return []
