"""What runs in the sandbox: the fork server, and a bot's process for a match, forked from it.

    fork server ─ fork ─► a match's process: gives up the rest, imports the bot, plays over
                          descriptor 3, one ArenaMessage or BotMessage after the other
                          or becomes the program, which writes lines to stdout

The fork server runs nothing that the bot's author wrote, so each match begins with the same, clean
process.
"""
