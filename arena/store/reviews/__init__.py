"""Reviews of matches: requested by visitors, made by workers, limited in number.

requests  requesting a review, claiming the next one, storing its result
reading   the review of a match, and the reviews of a bot
puzzles   puzzles from reviews, and the answers of accounts
"""
