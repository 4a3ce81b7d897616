"""The author's kit: the commands of `arena` that need no server, only gRPC and protobuf.

commands     the list of commands; each is a module with `add_arguments` and `run`
main         the entry point of the kit and, if installed, of the server (arena.cli)
new          a starter bot
check        checks that a bot follows the protocol
connect      bot connect
submissions  bot submit, bot submissions, bot source, bot rollback
views        decisions with their legal answers, for tests in any language
rules        explain a game
play         bots against each other on this machine
debug        a decision of a recorded match again, under the debugger (debugger)
replay       recorded matches in the browser, with the dashboard's viewer
players      bots named on the command line, each with its own modules (homes)
records      match records in a file
text         tables

To add a command, write its module and add a line to commands.py.
"""
