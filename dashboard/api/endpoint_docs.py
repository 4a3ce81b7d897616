"""The OpenAPI document as sections of the page /json, one per address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.api.answer import CSV, is_csv
from dashboard.api.schema import Schema


@dataclass(frozen=True)
class EndpointDoc:
    """One address."""

    name: str  # the anchor of its section
    path: str
    summary: str
    more: str
    parameters: list[Mapping[str, Any]]
    csv: str  # its address as CSV, or ""
    example: str
    statuses: list[tuple[str, str]]  # of errors, each with its description

    @property
    def fixed(self) -> bool:
        """Whether the address has no variable parts."""
        return "{" not in self.path


def endpoint_docs(document: Mapping[str, Any]) -> list[EndpointDoc]:
    """Return every address that answers with JSON."""
    paths, responses = document["paths"], document["components"]["responses"]
    return [
        _endpoint_doc(path, item["get"], path + CSV if path + CSV in paths else "", responses)
        for path, item in paths.items()
        if not is_csv(path)
    ]


def form(schema: Schema) -> str:
    """Describe the valid values in a few words."""
    if "enum" in schema:
        return ", ".join(map(usual, schema["enum"]))
    if schema.get("type") == "integer":
        return f"{schema.get('minimum', '')} to {schema.get('maximum', '')}"
    return str(schema.get("description") or schema.get("pattern", "text"))


def usual(value: object) -> str:
    """Return a value as written in a URL; "" for None."""
    return "" if value is None else json.dumps(value).strip('"')


def _endpoint_doc(
    path: str, operation: Mapping[str, Any], csv: str, responses: Mapping[str, Any]
) -> EndpointDoc:
    content = operation["responses"]["200"]["content"]["application/json"]
    return EndpointDoc(
        name=operation["operationId"],
        path=path,
        summary=operation["summary"],
        more=operation.get("description", ""),
        parameters=operation.get("parameters", []),
        csv=csv,
        example=json.dumps(content["example"], indent=2, ensure_ascii=False),
        statuses=[
            (status, responses[response["$ref"].rpartition("/")[2]]["description"])
            for status, response in operation["responses"].items()
            if "$ref" in response and status < "500"
        ],
    )
