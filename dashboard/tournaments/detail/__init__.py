"""One tournament: how far it is, and its standings.

view         the page, its live part, and the JSON
sections     what each section of the page needs
serializers  the JSON
"""
