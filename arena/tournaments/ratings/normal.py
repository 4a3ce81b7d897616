"""The normal distribution's constant behind every ±."""

from __future__ import annotations

Z95 = 1.959963984540054  # in standard deviations: 95% lie between -Z95 and Z95
