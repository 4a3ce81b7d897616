"""What became of the processes of one's own hosted bot.

index     the list, with curves of CPU time and memory
detail    one run: what it wrote, by decision
"""
