"""One tournament: its progress, standings and matches.

view         the page, its live fragments, and the JSON
sections     the contexts of the templates
serializers  the JSON of tournaments, standings and luck
"""
