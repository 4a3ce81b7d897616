"""Whether ratings, and the test of a versus, go by scores with the luck of each match taken out."""

LUCKS = CORRECTED, RAW = ("corrected", "raw")
