"""The objects in responses: published fields of a dataclass, and additional ones.

`Shape.tell` makes the object to send, and `Shape.type` is the TypedDict for its schema. New fields
of a dataclass of the store are therefore published and described automatically.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as fields_of
from functools import lru_cache
from typing import Any, NotRequired, get_origin, get_type_hints

from typing_extensions import TypedDict, is_typeddict


@dataclass(frozen=True)
class Many:
    """A list of objects of a shape."""

    of: Shape


class Shape:
    """An object with its name in the document.

    All fields of the dataclass or TypedDict `source` are published except `hidden`, or just those
    in `only`. `more` adds fields by name and type, or changes types. Fields in `sometimes` may be
    missing. A type is a Python type, a Shape or Many. Raises TypeError for unknown fields in
    `hidden` or `only`.
    """

    def __init__(
        self,
        name: str,
        source: type | None = None,
        *,
        about: str = "",
        hidden: Collection[str] = (),
        only: Collection[str] = (),
        sometimes: Collection[str] = (),
        more: Mapping[str, object] | None = None,
    ) -> None:
        declared = {} if source is None else _fields(source)
        unknown = {*hidden, *only} - set(declared)
        if unknown:
            raise TypeError(f"{name} has no fields {', '.join(sorted(unknown))} to hide.")
        exposed = {
            field: kind
            for field, kind in declared.items()
            if field not in hidden and (not only or field in only)
        }
        self.name, self.sometimes = name, sometimes
        self.described = about or with_null(documentation(source))
        self.fields: dict[str, object] = {**exposed, **(more or {})}
        # Not lazily, because two threads could create two types with the same name.
        self.type = self._typed_dict()

    def tell(
        self, value: object = None, *, without: Collection[str] = (), **more: Any
    ) -> dict[str, Any]:
        """Return the object to publish, with fields from `more`, else from the value's attributes.
        Raises TypeError for fields that the shape does not allow, which is a bug."""
        wrong = {*without} - {*self.sometimes} | {*more} - {*self.fields}
        if wrong:
            raise TypeError(f"{self.name} does not allow this for {', '.join(sorted(wrong))}.")
        return {
            name: more[name] if name in more else getattr(value, name)
            for name in self.fields
            if name not in without
        }

    def _typed_dict(self) -> Any:
        fields = {
            name: NotRequired[_type(kind)] if name in self.sometimes else _type(kind)
            for name, kind in self.fields.items()
        }
        typed_dict = TypedDict(self.name, fields)  # type: ignore[misc]
        typed_dict.__doc__ = self.described
        return typed_dict


@lru_cache(maxsize=256)
def as_shape(kind: object) -> Shape | None:
    """Return the shape with all fields of a dataclass or TypedDict; None for other types."""
    if isinstance(kind, Shape):
        return kind
    if isinstance(kind, type) and (is_dataclass(kind) or is_typeddict(kind)):
        # A TypedDict does not know its optional keys if annotations are strings.
        hints = get_type_hints(kind, include_extras=True)
        missing = [name for name, hint in hints.items() if get_origin(hint) is NotRequired]
        return Shape(kind.__name__, kind, sometimes=missing)
    return None


def shape_of(kind: object) -> Shape:
    """Return a Shape, or the shape of a dataclass or TypedDict. Raises TypeError."""
    shape = as_shape(kind)
    if shape is None:
        raise TypeError(f"{kind} cannot be a response.")
    return shape


def documentation(source: Any) -> str:
    """Return a docstring as text, without those that Python generates."""
    doc = inspect.getdoc(source) if source else None
    return "" if not doc or doc.startswith(f"{source.__name__}(") else paragraphs(doc)


def paragraphs(text: str) -> str:
    """Return a text with each paragraph on one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def with_null(text: str) -> str:
    """Return a text with "null" instead of "None"."""
    return re.sub(r"\bNone\b", "null", text)


def _type(kind: object) -> Any:
    if isinstance(kind, Many):
        return list[kind.of.type]  # type: ignore[name-defined]
    return kind.type if isinstance(kind, Shape) else kind


def _fields(source: type) -> dict[str, object]:
    hints = get_type_hints(source)
    names = [each.name for each in fields_of(source)] if is_dataclass(source) else hints
    return {name: hints[name] for name in names}
