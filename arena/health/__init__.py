"""How an arena is: the numbers, and what is wrong in sentences. Dashboard and command line say the
same.

    facts  the numbers, from the database and from Redis
    words  what is wrong, and what to do; the numbers in words
    state  both gathered
"""
