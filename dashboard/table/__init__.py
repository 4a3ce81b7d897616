"""What belongs to every table, whether a match is played there, watched or replayed.

goal     what wins and when the match ends, in a sentence
symbols  what is printed on cards and tokens, and what it means
lessons  each game in one minute
parts    (a template) the table's words: goal, legend, lesson
"""
