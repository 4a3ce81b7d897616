"""One model of the arena's health: a list of checks, of which all else is a view.

    finding      the result of a check, and which results follow from others
    facts        the numbers of database and Redis, and all that the checks look at
    services     checks of the database and Redis
    processes    checks of gateways, workers, beat and hosts
    tournaments  checks of tournaments
    state        looks at the arena and goes through the list
    words        the findings and the numbers in words
    patience     bounds how long the database may take

Doctor, `arena status`, the pages, /api/health and /readyz show what these checks find.
"""
