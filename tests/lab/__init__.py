"""The laboratory measures the arena, simulates it and trains its nets. No release contains it.

bench         speed of engine, arena, database, pages and hosts; strength of bots
faults        tournaments in a simulated arena in which everything fails
simulations   tournaments among bots of known strength: what ratings and formats promise
training      the nets of `arena.value`
commands      `python -m tests.lab`
"""
