"""Reviews of matches: asked for by visitors, made by workers, kept in bounded number.

requests  asking for a review, taking the next one on, storing what came of it
reading   what is known of a match's review, and of a bot's
hints     how many hints a person has had at a table
"""
