"""The code that runs in sandboxes: the fork server, and the processes of a bot, forked from it.

    fork server ─ fork ─► a match's process: gives up the rest, imports the bot, plays over
                          descriptor 3, one ArenaMessage or BotMessage at a time
                          or becomes the program, which writes lines to stdout

The fork server runs no code of the bot's author, so each match starts in the same clean process.
"""
