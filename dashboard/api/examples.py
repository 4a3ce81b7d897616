"""An example of an answer, made from its schema, so that it shows every field there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.api.schema import Schema

# By the names of fields. One that is not here gets a value of its type.
VALUES: dict[str, Any] = {
    "action": "play 4",
    "after": "40",
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
    "error": 'There is no bot named "sixx".',
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
    "position": 7,
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


def example(schema: Schema, components: Mapping[str, Schema], name: str = "") -> Any:
    """A value that the schema allows: that of the field's name if it does, else a plain one."""
    schema = _resolved(schema, components)
    if schema.get("type") == "object":
        return _object(schema, components, name)
    if name in VALUES and allows(schema, VALUES[name]):
        return VALUES[name]
    if "enum" in schema:
        return schema["enum"][0]
    if "prefixItems" in schema:
        return [example(each, components) for each in schema["prefixItems"]]
    if schema.get("type") == "array":
        return [example(schema.get("items") or {}, components, name.removesuffix("s"))]
    return {"integer": 0, "number": 0.0, "boolean": False, "string": "..."}.get(_type(schema))


def allows(schema: Schema, value: Any) -> bool:
    """Whether a schema without references allows a value."""
    if "enum" in schema:
        return value in schema["enum"]
    kind = _type(schema)
    if isinstance(value, list):
        items = schema.get("items", {})
        return kind == "array" and all(allows(items, each) for each in value)
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
    if kind not in kinds or isinstance(value, bool) != (kind == "boolean"):
        return False
    return isinstance(value, kinds[kind])  # type: ignore[arg-type]


def _object(schema: Schema, components: Mapping[str, Schema], name: str) -> Any:
    if "properties" in schema:
        fields = schema["properties"].items()
        return {field: example(each, components, field) for field, each in fields}
    held = schema.get("additionalProperties")
    named = VALUES.get(name)
    return named if held and isinstance(named, dict) else {}


def _resolved(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    """Without a reference, and of alternatives the first."""
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    if "$ref" in schema:
        schema = components[schema["$ref"].rpartition("/")[2]]
    return schema


def _type(schema: Schema) -> str:
    kind = schema.get("type", "")
    return str(kind[0] if isinstance(kind, list) else kind)
