"""`arena check`: does a bot, in whatever language, keep to the contract?

command      the command: the bot as a file, as a program, or one that connects from elsewhere
program      the bot's process
server       a gateway for this one bot: sessions, as they open
session      one session: what is sent to the bot, what it answers
playing      matches in which the bot has a seat
trial        a bot that is being checked
answering    checks within one session
connecting   checks of how sessions begin and end
checks       all of them, each with its remedy
"""
