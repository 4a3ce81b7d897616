"""The arena's health: one list of checks.

    finding      the result of a check, and which results follow from others
    facts        the numbers from the database and Redis, and other input of the checks
    services     checks of the database, Redis, and the machines' clocks
    processes    checks of gateways, workers, beat and hosts, and of the tournaments
    storage      checks of folders and disks
    external_services  settings of the mail server and of sign-in providers
    state        gathers the facts, without long waits, and runs all checks
    sentences    findings and numbers as text

`arena doctor`, `arena status`, the pages, /api/health and /readyz show the findings.
"""
