"""Basics for all packages, such as errors, settings and logs. Imports no other package."""
