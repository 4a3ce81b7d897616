"""The normal quantile used for all ± values."""

Z95 = 1.959963984540054  # standard deviations; 95% lie between -Z95 and Z95
