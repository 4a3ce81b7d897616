"""Types as JSON Schema, shapes from both sides, cells of spreadsheets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired

import pytest
from pydantic import PydanticUserError
from typing_extensions import TypedDict

from arena.base.text import cell
from dashboard.api.answer import columns, written
from dashboard.api.document import Schema, components
from dashboard.api.shape import Many, Shape, shape_of


@dataclass(frozen=True)
class Pile:
    """Cards; None if unknown."""

    top: str
    cards: tuple[str, ...]
    left: int | None
    secret: int = 0


class Roll(TypedDict):
    """A roll."""

    dice: list[str]
    lucky: NotRequired[bool]


def schemas(*shapes: Shape) -> dict[str, Schema]:
    """The schemas of shapes and of what is within them, by name."""
    return components(shapes)


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (int, {"type": "integer"}),
        (float | None, {"type": ["number", "null"]}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[bool, ...], {"type": "array", "items": {"type": "boolean"}}),
        (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Literal["a"], {"enum": ["a"]}),
        (Any, {}),
        (Pile | None, {"anyOf": [{"$ref": "#/components/schemas/Pile"}, {"type": "null"}]}),
    ],
)
def test_a_type_is_what_its_values_are_in_json(kind: object, schema: dict[str, Any]) -> None:
    assert schemas(Shape("Open", more={"field": kind}))["Open"]["properties"]["field"] == schema


def test_a_dataclass_is_an_object_with_all_its_fields_and_its_docstring() -> None:
    for shape in (shape_of(Pile), Shape("Open", more={"piles": list[Pile]})):
        pile = schemas(shape)["Pile"]

        assert pile["required"] == list(pile["properties"]) == ["top", "cards", "left", "secret"]
        assert pile["description"] == "Cards; null if unknown."


def test_a_key_that_need_not_be_there_is_not_required() -> None:
    for shape in (shape_of(Roll), Shape("Open", more={"rolls": list[Roll]})):
        roll = schemas(shape)["Roll"]

        assert roll["required"] == ["dice"]
        assert roll["properties"]["lucky"] == {"type": "boolean"}


def test_a_field_that_may_be_missing_is_not_required() -> None:
    shape = Shape("Open", Pile, only=("top", "left"), sometimes=("left",))

    assert schemas(shape)["Open"]["required"] == ["top"]


@pytest.mark.parametrize("kind", [bytes, Callable, list[bytes | None]])
def test_a_type_that_is_not_told_is_refused(kind: object) -> None:
    with pytest.raises(PydanticUserError):
        schemas(Shape("Open", more={"field": kind}))


def test_two_objects_of_one_name_are_refused() -> None:
    with pytest.raises(TypeError, match="Two different objects of the responses are called Pile"):
        schemas(Shape("Pile", more={"top": str}), shape_of(Pile))


def test_a_shape_tells_what_it_describes() -> None:
    shape = Shape("Open", Pile, hidden=("secret",), sometimes=("left",), more={"owner": str})
    pile = Pile("4", ("4", "llama"), None, secret=7)

    assert shape.tell(pile, owner="ada") == {
        "top": "4", "cards": ("4", "llama"), "left": None, "owner": "ada",
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
        Shape("Open", Pile, hidden=("seed",))


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
