"""`arena check`: check that a bot in any language follows the protocol.

command      the command line
program      the bot's process
server       a gateway for this one bot, and its sessions: messages to and from the bot
playing      matches in which the bot has a seat
trial        the bot under test
checks       the checks, each with advice
"""
