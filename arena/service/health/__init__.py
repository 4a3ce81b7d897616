"""The arena's health: one list of checks.

    finding      the result of a check, and which results follow from others
    facts        the numbers from the database and Redis, and other input of the checks
    services     checks of the database and Redis
    processes    checks of gateways, workers, beat and hosts
    storage      checks of folders and disks
    tournaments  checks of tournaments
    external_services  settings of the mail server and of sign-in providers
    state        gathers the facts, without long waits, and runs all checks
    sentences    findings and numbers as text

`arena doctor`, `arena status`, the pages, /api/health and /readyz show the findings.
"""
