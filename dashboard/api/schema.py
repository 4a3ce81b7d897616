"""The JSON Schema of the API (draft 2020-12, as in OpenAPI 3.1), made by pydantic."""

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
    """Schemas of objects made by `Shape.tell`, which have all fields, including defaults."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        return self.generate_inner(schema["schema"])

    def field_is_required(self, field: Any, total: bool) -> bool:
        return bool(field.get("required", total))

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def literal_schema(self, schema: core_schema.LiteralSchema) -> Schema:
        return {"enum": list(schema["expected"])}

    def bytes_schema(self, schema: core_schema.BytesSchema) -> Schema:
        """Reject bytes, which are secrets or logs in the store."""
        return self.handle_invalid_for_json_schema(schema, "bytes, which no response has")


def reference(shape: Shape) -> Schema:
    """Return a reference to the schema of a shape."""
    return {"$ref": REFERENCE.format(model=shape.name)}


@lru_cache(maxsize=8)  # making them for each document would be slow
def components(shapes: tuple[Shape, ...]) -> dict[str, Schema]:
    """Return the schemas of shapes and of all objects in them, by name.

    Raises TypeError for duplicate names, PydanticUserError for types that JSON does not have.
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
        if name != title:  # pydantic adds the module to duplicate names
            raise TypeError(f"Two different objects of the responses are called {title}.")
        if "description" in schema:
            schema["description"] = with_null(paragraphs(schema["description"]))
    return schemas
