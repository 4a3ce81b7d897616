"""What Python types are in JSON, as JSON Schema (draft 2020-12, which OpenAPI 3.1 uses)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin

from dashboard.api.shape import Many, Shape, as_shape

Schema: TypeAlias = dict[str, Any]

SIMPLE: dict[object, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    object: {},
    Any: {},
    dict: {"type": "object"},
}


class Schemas:
    """Turns types into schemas; objects are kept by name in `components` and referred to."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self._shapes: dict[str, Shape] = {}

    def of(self, kind: object) -> Schema:
        """The schema of a type, a Shape or Many. Raises TypeError for a type it does not know."""
        shape = as_shape(kind)
        if shape:
            return self._reference(shape)
        if isinstance(kind, Many):
            return {"type": "array", "items": self.of(kind.of)}
        origin, parts = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return self._any(parts)
        if origin is Literal:
            return {"enum": list(parts)}
        if origin is not None and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(parts[1])}
        if origin is tuple and parts[1:] != (...,):
            return self._tuple(parts)
        if origin is not None and issubclass(origin, Sequence):
            return {"type": "array", "items": self.of(parts[0])}
        try:
            return dict(SIMPLE[kind])
        except (KeyError, TypeError):
            raise TypeError(f"{kind} has no schema: teach it to dashboard/api/schema.py.") from None

    def _reference(self, shape: Shape) -> Schema:
        known = self._shapes.setdefault(shape.name, shape)
        if known != shape:
            raise TypeError(f"Two different objects of the answers are called {shape.name}.")
        if shape.name not in self.components:
            self.components[shape.name] = {}  # so that one that holds itself comes to an end
            self.components[shape.name] = self._object(shape)
        return {"$ref": f"#/components/schemas/{shape.name}"}

    def _object(self, shape: Shape) -> Schema:
        made: Schema = {"type": "object"}
        if shape.described:
            made["description"] = shape.described
        if not shape.fields:
            return made
        made["properties"] = {name: self.of(kind) for name, kind in shape.fields.items()}
        made["required"] = [name for name in shape.fields if name not in shape.sometimes]
        return made

    def _any(self, parts: Sequence[object]) -> Schema:
        made = [self.of(part) for part in parts]
        if all(set(each) == {"type"} for each in made):
            return {"type": [each["type"] for each in made]}
        return {"anyOf": made}

    def _tuple(self, parts: Sequence[object]) -> Schema:
        items = [self.of(part) for part in parts]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "items": False}
