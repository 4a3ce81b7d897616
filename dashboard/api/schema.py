"""The JSON Schema of the API (draft 2020-12, which OpenAPI 3.1 uses), made by pydantic."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from dashboard.api.shape import Shape, paragraphs, with_null

Schema: TypeAlias = dict[str, Any]

REFERENCE = "#/components/schemas/{model}"


class AnswerJsonSchema(GenerateJsonSchema):
    """Objects as `Shape.tell` gives them: with all their fields, whatever has a default."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        """As without a default."""
        return self.generate_inner(schema["schema"])

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Only keys of a TypedDict may be missing."""
        return bool(field.get("required", total))

    def field_title_should_be_set(self, schema: Any) -> bool:
        """The name says it."""
        return False

    def literal_schema(self, schema: core_schema.LiteralSchema) -> Schema:
        """An enum also of one value."""
        return {"enum": list(schema["expected"])}

    def bytes_schema(self, schema: core_schema.BytesSchema) -> Schema:
        """None: what a store keeps as bytes is a secret or a log."""
        return self.handle_invalid_for_json_schema(schema, "bytes, which no answer has")


def reference(shape: Shape) -> Schema:
    """Where the schema of a shape stands among the components."""
    return {"$ref": REFERENCE.format(model=shape.name)}


@lru_cache(maxsize=8)  # made anew for each document they would take 20 ms
def components(shapes: tuple[Shape, ...]) -> dict[str, Schema]:
    """The schemas of shapes and of all objects within them, by name.

    Raises TypeError for two of one name, PydanticUserError for a type that JSON does not have.
    """
    _, made = TypeAdapter.json_schemas(
        [(shape.name, "serialization", TypeAdapter(shape.type)) for shape in shapes],
        ref_template=REFERENCE,
        union_format="primitive_type_array",
        schema_generator=AnswerJsonSchema,
    )
    schemas: dict[str, Schema] = made.get("$defs", {})
    for name, schema in schemas.items():
        title = schema.pop("title")
        if name != title:  # pydantic tells them apart by their modules
            raise TypeError(f"Two different objects of the answers are called {title}.")
        if "description" in schema:
            schema["description"] = with_null(paragraphs(schema["description"]))
    return schemas
