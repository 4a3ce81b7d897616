"""Bots and programs that were built on an earlier contract still understand the one of today.

`tests/golden/contract.binpb` is the contract as of the last release: a FileDescriptorSet. What is
in it keeps its number, its name, its type and whether it repeats; whatever is new has numbers of
its own. (The rules of buf's category WIRE_JSON.) At a release it is written anew:

    python -m tests.unit.protocol.test_wire_compatibility
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto, FileDescriptorSet

from arena.protocol.v1 import control_pb2, play_pb2, submissions_pb2

KEPT = Path(__file__).parents[2] / "golden/contract.binpb"


def today() -> FileDescriptorSet:
    found = FileDescriptorSet()
    for module in (play_pb2, control_pb2, submissions_pb2):
        module.DESCRIPTOR.CopyToProto(found.file.add())
    return found


def incompatible(old: FileDescriptorSet, new: FileDescriptorSet) -> list[str]:
    """The changes that would break clients built with the old protocol, one line each."""
    files = {file.name: file for file in new.file}
    return [
        problem
        for file in old.file
        for problem in _in_file(file, files.get(file.name, FileDescriptorProto()))
    ]


def _in_file(old: FileDescriptorProto, new: FileDescriptorProto) -> Iterator[str]:
    if old.package != new.package:
        yield f"{old.name}: package {old.package} is gone"
    messages = {message.name: message for message in new.message_type}
    for message in old.message_type:
        yield from _in_message(message.name, message, messages.get(message.name))
    enums = {enum.name: {each.number: each.name for each in enum.value} for enum in new.enum_type}
    for enum in old.enum_type:
        for value in enum.value:
            if enums.get(enum.name, {}).get(value.number) != value.name:
                yield f"{enum.name}.{value.name} is not {value.number} any more"
    methods = {(each.name, one.name): one for each in new.service for one in each.method}
    for service in old.service:
        for method in service.method:
            if methods.get((service.name, method.name)) != method:
                yield f"{service.name}.{method.name} has changed or is gone"


def _in_message(path: str, old: DescriptorProto, new: DescriptorProto | None) -> Iterator[str]:
    if new is None:
        yield f"{path} is gone"
        return
    fields = {field.number: field for field in new.field}
    for field in old.field:
        now = fields.get(field.number)
        if now is None:
            if not any(each.start <= field.number < each.end for each in new.reserved_range):
                yield f"{path}.{field.name} is gone, and its number {field.number} not reserved"
        elif _said(field) != _said(now):
            yield f"{path}.{field.name}, number {field.number}, has changed: {_said(now)}"
    nested = {message.name: message for message in new.nested_type}
    for message in old.nested_type:
        yield from _in_message(f"{path}.{message.name}", message, nested.get(message.name))


def _said(field: Any) -> tuple[Any, ...]:
    oneof = field.oneof_index if field.HasField("oneof_index") else None
    return field.name, field.type, field.label, field.type_name, oneof, field.proto3_optional


def test_released_messages_are_still_understood() -> None:
    released = FileDescriptorSet.FromString(KEPT.read_bytes())
    assert {"arena.v1"} == {file.package for file in released.file}
    assert incompatible(released, today()) == []


def message_of(found: FileDescriptorSet, name: str) -> DescriptorProto:
    (message,) = (each for file in found.file for each in file.message_type if each.name == name)
    return message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda view: view.field.pop(3), "View.options is gone, and its number 4 not reserved"),
        (lambda view: setattr(view.field[0], "type", 12), "View.match, number 1, has changed"),
        (lambda view: setattr(view.field[0], "name", "m"), "View.match, number 1, has changed"),
        (lambda view: setattr(view.field[8], "label", 1), "View.hand, number 9, has changed"),
        (lambda view: setattr(view.field[1], "number", 99), "View.number is gone"),
        (lambda view: setattr(view, "name", "Sight"), "View is gone"),
    ],
)
def test_a_change_that_breaks_bots_is_found(change: Any, said: str) -> None:
    changed = today()
    change(message_of(changed, "View"))
    assert any(line.startswith(said) for line in incompatible(today(), changed))


def test_additions_are_compatible() -> None:
    changed = today()
    message_of(changed, "View").field.add(name="new", number=90, type=9, label=1)
    changed.file[0].message_type.add(name="Newcomer")
    assert incompatible(today(), changed) == []


if __name__ == "__main__":
    KEPT.write_bytes(today().SerializeToString(deterministic=True))
