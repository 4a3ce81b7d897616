"""Tests that run the examples in the README, the docs and the contributors' pages."""
