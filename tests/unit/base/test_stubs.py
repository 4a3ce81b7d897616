"""The checked-in stubs are what the .proto files say, and every message and field is explained."""

import importlib.util
import itertools
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
PROTOS = sorted((ROOT / "proto").glob("arena/*/*.proto"))


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "proto" / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_stubs_are_generated_from_the_contract_as_it_stands(tmp_path: Path) -> None:
    made = generator().generate(tmp_path / "protocol")
    assert made
    for stub in made:
        kept = ROOT / "arena" / "protocol" / stub.relative_to(tmp_path / "protocol")
        assert stub.read_text() == kept.read_text(), f"run `make proto`: {kept.name} is old"
    kept_stubs = {path.name for path in (ROOT / "arena/protocol").glob("*/*_pb2*.py*")}
    assert kept_stubs == {stub.name for stub in made}


@pytest.mark.parametrize("proto", PROTOS, ids=lambda path: path.name)
def test_every_message_field_and_call_is_commented(proto: Path) -> None:
    lines = proto.read_text().splitlines()
    thing = re.compile(r"^\s*(message|service|rpc|enum|optional|repeated|map<|[\w.]+ \w+ = \d+)")
    grouped = False  # fields that follow one another share the comment above the first
    for before, line in itertools.pairwise(lines):
        if not thing.match(line) or line.startswith(("package", "syntax")):
            continue
        grouped = before.strip().startswith("//") or (grouped and bool(thing.match(before)))
        assert grouped, f"no comment above: {line.strip()}"
