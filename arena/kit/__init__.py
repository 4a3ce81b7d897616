"""The author's kit: the commands of `arena` that need no server, only gRPC and protobuf.

commands     what there is; each command is a module with `add_arguments` and `run`
main         the entry point: the kit's commands, and the server's (arena.cli) where it is installed
new          a bot to begin with
check        whether a bot keeps to the contract
connect      bot connect
submissions  bot submit, bot submissions, bot source, bot rollback
views        decisions with their legal answers, for tests in any language
rules        explain a game
play         bots against each other on this machine
debug        one decision of a recorded match once more, under the debugger (stepping)
replay       recorded matches in the browser, by the dashboard's viewer, which the server brings
players      bots named on the command line, each with its own modules (homes)
records      match records in a file
text         tables

To add a command, write its module and give it a line in commands.py.
"""
