"""What learners and searchers use beside `arena.batch`; needs `pip install "lama-arena[learn]"`.

environment    the games as PettingZoo AEC environments (drawn by rendering)
rewards        what a match is worth to each seat
selfplay       many matches between bots, each decision a row of arrays (rows)
parquet        those rows as a file
"""
