"""The objects in the answers: which fields of a dataclass, and what beside them.

A `Shape` is used from both sides: `tell` makes the object that is sent, `type` is the TypedDict
that pydantic makes the schema from. So a new field of a dataclass of the store is published and
described without a line here.
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
    """An object by the name it has in the document.

    Of the dataclass or TypedDict `source` all fields are published but the `hidden`, or the `only`
    ones; `more` adds fields by name and type, or gives others a new type. The fields `sometimes`
    may be missing. A type is a Python type, a Shape or Many. Raises TypeError where `hidden` or
    `only` names what is no field.
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
        # Not when it is first asked for: two threads would make two types of one name.
        self.type = self._typed_dict()

    def tell(
        self, value: object = None, *, without: Collection[str] = (), **more: Any
    ) -> dict[str, Any]:
        """The object to be published: its fields from `more`, else the value's attributes.

        Raises TypeError for what the shape does not allow: that is a bug.
        """
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
    """A dataclass or TypedDict as the shape that tells all of it; None for other types."""
    if isinstance(kind, Shape):
        return kind
    if isinstance(kind, type) and (is_dataclass(kind) or is_typeddict(kind)):
        # A TypedDict itself does not know its optional keys where annotations are texts.
        hints = get_type_hints(kind, include_extras=True)
        missing = [name for name, hint in hints.items() if get_origin(hint) is NotRequired]
        return Shape(kind.__name__, kind, sometimes=missing)
    return None


def shape_of(kind: object) -> Shape:
    """The shape of what is one, or a dataclass or TypedDict. Raises TypeError."""
    shape = as_shape(kind)
    if shape is None:
        raise TypeError(f"{kind} is no object that an answer could be.")
    return shape


def documentation(source: Any) -> str:
    """A docstring as text; none where Python wrote it itself."""
    doc = inspect.getdoc(source) if source else None
    return "" if not doc or doc.startswith(f"{source.__name__}(") else paragraphs(doc)


def paragraphs(text: str) -> str:
    """A text with a paragraph to a line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def with_null(text: str) -> str:
    """A text about Python's values as one about those of JSON."""
    return re.sub(r"\bNone\b", "null", text)


def _type(kind: object) -> Any:
    if isinstance(kind, Many):
        return list[kind.of.type]  # type: ignore[name-defined]
    return kind.type if isinstance(kind, Shape) else kind


def _fields(source: type) -> dict[str, object]:
    """The types by name, without those of a dataclass's class variables."""
    hints = get_type_hints(source)
    names = [each.name for each in fields_of(source)] if is_dataclass(source) else hints
    return {name: hints[name] for name in names}
