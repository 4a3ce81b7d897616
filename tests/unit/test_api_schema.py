"""Types as JSON Schema, shapes from both sides, cells of spreadsheets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

import pytest

from arena.spreadsheet import cell
from dashboard.api.schema import Schemas
from dashboard.api.shape import Many, Shape
from dashboard.api.table import columns, written


@dataclass(frozen=True)
class Pile:
    """Cards; None where nobody knows."""

    top: str
    cards: tuple[str, ...]
    left: int | None
    secret: int = 0


class Roll(TypedDict):
    """A roll."""

    dice: list[str]
    lucky: NotRequired[bool]


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (int, {"type": "integer"}),
        (float | None, {"type": ["number", "null"]}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[bool, ...], {"type": "array", "items": {"type": "boolean"}}),
        (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Any, {}),
        (Pile | None, {"anyOf": [{"$ref": "#/components/schemas/Pile"}, {"type": "null"}]}),
    ],
)
def test_a_type_is_what_its_values_are_in_json(kind: object, schema: dict[str, Any]) -> None:
    assert Schemas().of(kind) == schema


def test_a_dataclass_is_an_object_with_all_its_fields_and_its_docstring() -> None:
    schemas = Schemas()
    schemas.of(list[Pile])

    made = schemas.components["Pile"]

    assert made["required"] == list(made["properties"]) == ["top", "cards", "left", "secret"]
    assert made["description"] == "Cards; null where nobody knows."


def test_a_key_that_need_not_be_there_is_not_required() -> None:
    schemas = Schemas()
    schemas.of(Roll)

    assert schemas.components["Roll"]["required"] == ["dice"]
    assert schemas.components["Roll"]["properties"]["lucky"] == {"type": "boolean"}


def test_a_type_without_a_schema_is_refused() -> None:
    with pytest.raises(TypeError, match="has no schema"):
        Schemas().of(complex)


def test_two_objects_of_one_name_are_refused() -> None:
    schemas = Schemas()
    schemas.of(Shape("Pile", more={"top": str}))

    with pytest.raises(TypeError, match="Two different objects"):
        schemas.of(Pile)


def test_a_shape_tells_what_it_describes() -> None:
    shape = Shape("Open", Pile, hidden=("secret",), sometimes=("left",), more={"owner": str})
    pile = Pile("4", ("4", "llama"), None, secret=7)

    assert shape.tell(pile, owner="ada") == {
        "top": "4", "cards": ["4", "llama"], "left": None, "owner": "ada",
    }  # fmt: skip
    assert "left" not in shape.tell(pile, without=("left",), owner="ada")
    assert list(shape.fields) == ["top", "cards", "left", "owner"]


def test_a_shape_tells_nothing_that_it_does_not_describe() -> None:
    shape = Shape("Open", Pile, hidden=("secret",))
    pile = Pile("4", (), 3)

    with pytest.raises(TypeError, match="secret"):
        shape.tell(pile, secret=7)
    with pytest.raises(TypeError, match="top"):
        shape.tell(pile, without=("top",))


def test_hiding_a_field_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="seed"):
        _ = Shape("Open", Pile, hidden=("seed",)).fields


def test_a_table_has_a_line_for_each_part_of_a_list() -> None:
    shape = Shape("Piles", more={"of": str, "piles": Many(Shape("Pile", Pile, only=("top",)))})
    told: list[dict[str, Any]] = [
        {"of": "ada", "piles": [{"top": "4"}, {"top": "-5"}]},
        {"of": "bob", "piles": []},
    ]

    assert columns(shape, "piles") == ["of", "pile", "top"]
    assert written(told, shape, "piles") == "of,pile,top\r\nada,0,4\r\nada,1,'-5\r\n"


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\ta", "\ra", "\na", "\uff1d1"])
def test_a_text_that_a_spreadsheet_would_run_is_marked_as_text(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("value", [-1, -0.5, None, "ada", "a=b", ""])
def test_other_cells_stay_what_they_are(value: Any) -> None:
    assert cell(value) == value
    assert cell(True) == 1
