"""/api: what there is as JSON, and the contract of it.

The answers stand with the pages that show the same; each says with `@answers` what it takes and
gives. All else follows from that:

    answer      a view with its contract: reads the query, writes JSON or CSV, links pages
    parameters  what a query string may have       shape     published fields, as a type
    schema      such types as JSON Schema          table     a list as CSV
    document    the OpenAPI document               examples  an answer made from its shape
    record      the record of a match, described   endpoint_docs  the document for the page /json

What values are, in answers and in queries, is said by types, and pydantic reads, checks and
describes them; the sentences that refuse something, the order of pages and CSV are ours.
"""
