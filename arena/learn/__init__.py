"""What learners and searchers use beside `arena.batch`; needs `pip install "lama-arena[learn]"`.

environment    the games as PettingZoo AEC environments
rewards        what a match is worth to each seat
"""
