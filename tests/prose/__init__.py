"""A checker of prose: it counts idiom that reads like a translation, and lets the counts only fall.

rules      the idioms
surfaces   the prose of the project: documents, pages, errors, docstrings, comments, proto
baseline   how many hits there may be (baseline.json)
"""
