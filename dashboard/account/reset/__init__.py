"""Resetting a forgotten password by an e-mailed link."""
