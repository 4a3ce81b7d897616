"""The JSON API under /api, and its OpenAPI document.

Each API view is next to the page that shows the same data, and declares its parameters and its
response with `@answers`:

    answer      an API view: reads the query, writes JSON or CSV, links pages
    parameters  query parameters                   shape     published fields, as a type
    document    the OpenAPI document               examples  a response made from its shape

Pydantic parses, checks and describes all values by their types. Error texts, pagination and CSV
are implemented here.
"""
