"""The objects in the answers: what of a dataclass is told, and what beside it.

A `Shape` is used from both sides: `tell` makes the object that is sent, `fields` is what the
schema is made from. A field that a dataclass of the store gets is therefore told, and described,
without a line here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, is_dataclass
from dataclasses import fields as fields_of
from functools import cached_property, lru_cache
from typing import Any, NotRequired, get_origin, get_type_hints, is_typeddict


@dataclass(frozen=True)
class Many:
    """A list of objects of a shape."""

    of: Shape


@dataclass(frozen=True)
class Shape:
    """An object by the name it has in the document.

    Of the dataclass `source` all fields are told but the `hidden`, or the `only` ones; `more`
    adds fields by name and type, or gives others a new type. The fields `sometimes` may be
    missing. A type is a Python type, a Shape or Many.
    """

    name: str
    source: type | None = None
    about: str = ""
    hidden: Collection[str] = ()
    only: Collection[str] = ()
    sometimes: Collection[str] = ()
    more: Mapping[str, object] = field(default_factory=dict)

    @cached_property
    def fields(self) -> dict[str, object]:
        """The type of each field by name, in the order of the source."""
        found = {} if self.source is None else _fields(self.source)
        unknown = {*self.hidden, *self.only} - set(found)
        if unknown:
            raise TypeError(f"{self.name} has no fields {', '.join(sorted(unknown))} to hide.")
        kept = {
            name: kind
            for name, kind in found.items()
            if name not in self.hidden and (not self.only or name in self.only)
        }
        return {**kept, **self.more}

    @property
    def described(self) -> str:
        """What there is to know of it: the source's docstring where nothing else is said."""
        return self.about or re.sub(r"\bNone\b", "null", documentation(self.source))

    def tell(
        self, value: object = None, *, without: Collection[str] = (), **more: Any
    ) -> dict[str, Any]:
        """The object: its fields from `more`, else the value's attributes.

        Raises TypeError for what the shape does not allow: that is a bug.
        """
        wrong = {*without} - {*self.sometimes} | {*more} - {*self.fields}
        if wrong:
            raise TypeError(f"{self.name} does not allow this for {', '.join(sorted(wrong))}.")
        return {
            name: more[name] if name in more else plain(getattr(value, name))
            for name in self.fields
            if name not in without
        }


def as_shape(kind: object) -> Shape | None:
    """A dataclass or TypedDict as the shape that tells all of it; None for other types."""
    if isinstance(kind, Shape):
        return kind
    if is_typeddict(kind) and isinstance(kind, type):
        return _of_keys(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        return Shape(kind.__name__, kind)
    return None


def shape_of(kind: object) -> Shape:
    """The shape of what is one, or a dataclass or TypedDict. Raises TypeError."""
    found = as_shape(kind)
    if found is None:
        raise TypeError(f"{kind} is no object that an answer could be.")
    return found


def documentation(source: Any) -> str:
    """A docstring, a paragraph to a line; none where Python wrote it itself."""
    text = inspect.getdoc(source) if source else None
    if source is None or not text or text.startswith(f"{source.__name__}("):
        return ""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def plain(value: Any) -> Any:
    """A value of a dataclass's field as JSON has it; texts and numbers are not copied, which
    would take longer than all else of a long list."""
    if value is None or isinstance(value, str | int | float):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value


@lru_cache(maxsize=256)
def _names(kind: type) -> tuple[str, ...]:
    """The names of a dataclass's fields."""
    return tuple(each.name for each in fields_of(kind))


def _of_keys(kind: type) -> Shape:
    # The class itself does not know its optional keys where annotations are texts.
    hints = get_type_hints(kind, include_extras=True)
    missing = [name for name, hint in hints.items() if get_origin(hint) is NotRequired]
    types = get_type_hints(kind)
    return Shape(kind.__name__, about=documentation(kind), sometimes=missing, more=types)


def _fields(source: type) -> dict[str, object]:
    hints = get_type_hints(source)
    return {each.name: hints[each.name] for each in fields_of(source)}
