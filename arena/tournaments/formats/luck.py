"""Whether ratings and the test of a versus use luck-adjusted or raw scores."""

CORRECTED, RAW = "corrected", "raw"
