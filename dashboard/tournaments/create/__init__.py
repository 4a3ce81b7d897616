"""The form for a new tournament, with a preview.

form     the fields, their limits, and the form as filled in
reading  validation of a submitted form
preview  the tournament as it would be created
view     the pages
"""
