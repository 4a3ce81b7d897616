"""An example of a response, made from its shape, so that it has every field."""

import json
from collections.abc import Mapping
from functools import lru_cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from dashboard.api.shape import Many, Shape, as_shape

# By field name. Other fields get a default value of their type.
VALUES: dict[str, Any] = {
    "action": "play 4",
    "bot": "five",
    "bots": ["five", "careful", "sharp", "timid"],
    "connected": 6,
    "created": 1767225600.0,
    "deal": 3,
    "deals": 10,
    "dice": ["2", "llama", "6"],
    "elo": 1534.2,
    "elo_before": 1531.9,
    "elo_change": 2.3,
    "fault": "timeout",
    "fault_limit": 3,
    "finished": 1767225660.5,
    "format": "round-robin",
    "game": "lama",
    "games": ["lama", "dice"],
    "gives": "A bot with its connection, ratings, latest matches and latest faults.",
    "hands": [["3", "5", "llama", "1", "1", "6"], ["2", "2", "4", "6", "llama", "5"]],
    "id": 12,
    "in_flight": 2,
    "instead": "quit",
    "isolation": "match",
    "luck": "corrected",
    "kind": "timeout",
    "last_played": 1767225660.5,
    "latency_ms": 1.4,
    "latency_us": 812,
    "match": "k3v8r2m6q9w4t7xz",
    "matches": 600,
    "matches_per_second": 92.5,
    "mean_points": 31.4,
    "max_in_flight": 256,
    "max_seats": 6,
    "min_seats": 2,
    "move_ms": 2000,
    "name": "five",
    "next": "50",
    "number": 17,
    "options": {"max_rounds": "500"},
    "path": "/api/bots/{name}",
    "penalties": [0, 11],
    "pile": ["1", "llama", "3"],
    "planned": 600,
    "played": 420,
    "player": 5,
    "plus_minus": 24.7,
    "points": 40,
    "rank": 1,
    "rank_high": 3,
    "rank_low": 1,
    "ranks": [1, 2],
    "rating": 1541.8,
    "reason": "No answer within 2000 ms.",
    "rows": [["3", "5", "llama", "1", "1", "6"], ["2", "2", "4", "6", "llama", "5"]],
    "ruleset": "lama/1",
    "score": 0.61,
    "sdk": "arena-sdk 0.1",
    "seconds_left": 1.9,
    "since": 1767225600.0,
    "started": 1767225603.0,
    "state": "running",
    "top": "4",
    "version": "1",
    "wins": 190,
    "winners": [0],
}


@lru_cache(maxsize=256)
def example(shape: Shape) -> dict[str, Any]:
    return {name: _value(kind, name) for name, kind in shape.fields.items()}


def _value(kind: Any, name: str = "") -> Any:
    """Return the value for the field's name if the type allows it, else a default."""
    if isinstance(kind, Many):
        return [example(kind.of)]
    if shape := as_shape(kind):
        return example(shape)
    if name in VALUES and _allows(kind, VALUES[name]):
        return VALUES[name]
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _value(parts[0], name)
    if origin is Literal:
        return parts[0]
    if origin is tuple and parts[1:] != (...,):
        return [_value(part) for part in parts]
    if origin is not None:
        return {} if issubclass(origin, Mapping) else [_value(parts[0], name.removesuffix("s"))]
    return {int: 0, float: 0.0, bool: False, str: "...", dict: {}}.get(kind)


def _allows(kind: Any, value: Any) -> bool:
    try:
        TypeAdapter(kind).validate_json(json.dumps(value), strict=True)
    except ValidationError:
        return False
    return kind not in (object, Any)
