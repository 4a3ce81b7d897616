"""The OpenAPI document, made from the routes under /api and their answers.

Pydantic makes the JSON Schema of the objects (draft 2020-12, as in OpenAPI 3.1).
"""

import inspect
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from flask import Flask
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema
from werkzeug.routing import Rule

from arena import __version__
from dashboard.api.answer import Answer, answer_behind, is_csv
from dashboard.api.examples import example
from dashboard.api.parameters import Parameter
from dashboard.api.shape import Shape, documentation, paragraphs, with_null
from dashboard.urls import CONVERTERS

Schema: TypeAlias = dict[str, Any]

REFERENCE = "#/components/schemas/{model}"
PART = re.compile(r"<(?:(\w+):)?(\w+)>")
ANY_PART: Schema = {"type": "string", "pattern": "^[^/]+$"}

UNKNOWN = Shape("Unknown", about="An object.")
PROBLEM = Shape("Problem", about="An error as a sentence.", more={"error": str})
PROBLEMS = {
    400: ("BadRequest", "A parameter is not valid."),
    404: ("NotFound", "The requested object does not exist."),
    409: ("NotNow", "Not available yet, for instance because the match is still sealed."),
    429: ("TooOften", "Too many requests. Wait a moment."),
    500: ("Broken", "The arena is at fault."),
    503: ("Unavailable", "The database cannot be reached."),
}
HEADERS = {
    "ETag": {
        "description": "Identifies this version of the response; send it in If-None-Match.",
        "schema": {"type": "string"},
    },
    "Link": {
        "description": 'The address of the next page, rel="next"; missing at the end.',
        "schema": {"type": "string"},
    },
}
ABOUT = """\
All data of the pages as JSON. Times are Unix seconds. Lists are paginated: pass `next` as `after`
to get the next page. `next` is empty at the end, and the Link header has the full address. Tables
are also available as CSV, at the address with `.csv` or with `format=csv`. Responses have an ETag.
Send it in If-None-Match to get 304 while nothing has changed. Fields may be added at any time;
existing ones keep their meaning."""


def document(app: Flask) -> dict[str, Any]:
    schemas = components((PROBLEM, *(answer_of(app, rule).shape for rule in routes(app))))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lama-arena",
            "version": __version__,
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": {address(rule): {"get": _operation(app, rule)} for rule in routes(app)},
        "components": {
            "schemas": schemas,
            "responses": {
                name: {
                    "description": says,
                    "content": {"application/json": {"schema": reference(PROBLEM)}},
                }
                for name, says in PROBLEMS.values()
            },
            "headers": HEADERS,
        },
    }


def routes(app: Flask) -> Iterator[Rule]:
    """Yield the routes under /api, in the order of the pages."""
    for rule in app.url_map.iter_rules():
        if rule.rule == "/api" or rule.rule.startswith("/api/"):
            yield rule


def address(rule: Rule) -> str:
    """Return a route's URL with {name} for its variable parts."""
    return PART.sub(r"{\2}", rule.rule)


def answer_of(app: Flask, rule: Rule) -> Answer:
    """Return the Answer of a route; views without @answers have an unknown shape."""
    view = app.view_functions[rule.endpoint]
    return answer_behind(view) or Answer(view, UNKNOWN)


def _operation(app: Flask, rule: Rule) -> dict[str, Any]:
    answer, csv = answer_of(app, rule), is_csv(rule.rule)
    summary, _, more = documentation(answer.view).partition("\n\n")
    # A URL without variable parts cannot name a missing object.
    missing = (404,) if rule.arguments else ()
    statuses = sorted({400, 500, 503, *missing, *answer.refuses})
    operation = {
        "operationId": rule.endpoint.replace(".as_json", "") + ("_csv" if csv else ""),
        "tags": [rule.endpoint.partition(".")[0]],
        "summary": summary,
        "description": more,
        "parameters": [*_parts(rule, answer), *map(_query, answer.parameters(csv))],
        "responses": {
            "200": _success(answer, csv),
            "304": {"description": "Nothing has changed since the response with that ETag."},
            **{
                str(status): {"$ref": f"#/components/responses/{PROBLEMS[status][0]}"}
                for status in statuses
            },
        },
    }
    return {name: value for name, value in operation.items() if value}


def _parts(rule: Rule, answer: Answer) -> Iterator[dict[str, Any]]:
    for converter, name in PART.findall(rule.rule):
        kind = CONVERTERS.get(converter)
        schema = answer.path.get(name) or getattr(kind, "schema", ANY_PART)
        about = inspect.getdoc(kind) if kind else ""
        part = {"name": name, "in": "path", "required": True, "schema": schema}
        yield {**part, "description": about} if about else part


def _query(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.about,
        "schema": parameter.schema,
    }


def _success(answer: Answer, csv: bool) -> dict[str, Any]:
    schema = reference(answer.shape)
    content: dict[str, Any] = {}
    if not csv:
        content["application/json"] = {"schema": schema, "example": example(answer.shape)}
    if answer.rows:
        content["text/csv"] = {"schema": {"type": "string"}}
    headers = {"ETag": {"$ref": "#/components/headers/ETag"}}
    if answer.paged:
        headers["Link"] = {"$ref": "#/components/headers/Link"}
    return {
        "description": answer.shape.described or "The answer.",
        "headers": headers,
        "content": content,
    }


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
    return {"$ref": REFERENCE.format(model=shape.name)}


@lru_cache(maxsize=8)  # making them for each document would be slow
def components(shapes: tuple[Shape, ...]) -> dict[str, Schema]:
    """Return the schemas of shapes and of all objects in them, by name. Raises TypeError for
    duplicate names, PydanticUserError for types that JSON does not have."""
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
