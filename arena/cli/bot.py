"""`arena bot`: register and connect bots."""

import click

from arena.base.text import printable
from arena.cli.author import author_command
from arena.cli.screen import json_option, limit_option, note, print_json, print_table, say, when
from arena.cli.where import Where, arena_options, open_control
from arena.kit.commands import COMMANDS as KIT
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.port import every_bot


@click.group()
def bot() -> None:
    """Register and connect bots."""


@bot.command()
@click.argument("name")
@json_option
@arena_options
def add(name: str, json_: bool, where: Where) -> None:
    """Register a bot and print its token.

    The token is shown only once. NAME is 1 to 40 letters, digits, ".", "_" and "-".

    \b
    Example:
      export ARENA_TOKEN=$(arena bot add mybot)
    """
    with open_control(where, begin_store=True) as control:
        answer = control.register_bot(pb.RegisterBotRequest(name=name))
    _give(answer, json_, f"{answer.name} is registered. Its ARENA_TOKEN:")


@bot.command()
@click.argument("name")
@json_option
@arena_options
def token(name: str, json_: bool, where: Where) -> None:
    """Replace the token of a bot. The old one stops working."""
    with open_control(where) as control:
        answer = control.rotate_token(pb.BotName(name=name))
    _give(answer, json_, f"The new ARENA_TOKEN of {answer.name}:")


@bot.command()
@click.argument("name")
@click.argument("version", default="")
@json_option
@arena_options
def version(name: str, version: str, json_: bool, where: Where) -> None:
    """Start a new version of a bot, with its own rating.

    Create one whenever the program changes, so that old results do not count for the new program.
    The token stays the same. The new version takes effect when the bot connects again. Running
    tournaments keep the old version. To finish them, keep its program connected with
    ARENA_BOT_VERSION set, next to the new one. VERSION is 1 to 40 letters, digits, ".", "_", "+"
    and "-". Without it, the next number is used.

    \b
    Example:
      arena bot version mybot 2.1
    """
    with open_control(where) as control:
        answer = control.new_version(pb.NewVersionRequest(name=name, version=version))
    if json_:
        print_json(answer)
    else:
        say(f"{answer.name} will be version {answer.version} when it connects again.")


def _give(answer: pb.BotToken, json_: bool, sentence: str) -> None:
    if json_:
        print_json(answer)
    else:
        note(sentence)
        say(answer.token)


@bot.command("list")
@json_option
@arena_options
def list_(json_: bool, where: Where) -> None:
    """List the registered bots and whether they are connected."""
    with open_control(where) as control:
        answer = every_bot(control)
    if json_:
        print_json(answer)
    elif not answer.bots:
        note("No bot is registered yet. Register one with `arena bot add NAME`.")
    else:
        columns = ("bot", "version", "connected", "games", "client", "matches", "registered")
        print_table(columns, map(_line, answer.bots), left=("bot", "connected", "games", "client"))


def _line(status: pb.BotStatus) -> tuple[object, ...]:
    return (
        status.name,
        status.version,
        "yes" if status.connected else "no",
        ", ".join(status.games),
        status.sdk,
        status.matches,
        when(status.created),
    )


@bot.command()
@click.argument("name")
@click.argument("account", default="")
@arena_options
def owner(name: str, account: str, where: Where) -> None:
    """Set the owner of a bot. Without ACCOUNT, remove the owner.

    On the dashboard, the owner can replace the bot's token, create versions and retire it. Bots
    registered with `arena bot add` have no owner.
    """
    with open_control(where) as control:
        given = control.set_owner(pb.BotOwner(name=name, account=account))
    say(f"{given.name} {f'belongs to {given.account}' if given.account else 'has no owner'}.")


@bot.command()
@click.argument("name")
@click.option("--back", is_flag=True, help="Reinstate a retired bot.")
@arena_options
def retire(name: str, back: bool, where: Where) -> None:
    """Retire a bot, or reinstate it with --back.

    A retired bot can no longer connect and is hidden from lists. Its results are kept.
    """
    with open_control(where) as control:
        change = control.bring_back_bot if back else control.retire_bot
        changed = change(pb.BotName(name=name))
    say(f"{changed.name} is {'reinstated' if back else 'retired'}.")


@bot.command()
@click.argument("name")
@arena_options
def unbench(name: str, where: Where) -> None:
    """Let a benched bot enter new tournaments again.

    A bot is benched after ARENA_BENCH_AFTER consecutive matches forfeited by its own faults. Fix
    the bot first: it is benched again after the same number of forfeits.
    """
    with open_control(where) as control:
        free = control.unbench_bot(pb.BotName(name=name))
    say(f"{free.name} can be entered into tournaments again.")


@bot.command()
@click.argument("name")
@limit_option("faults", 20)
@json_option
@arena_options
def faults(name: str, limit: int, json_: bool, where: Where) -> None:
    """List the latest faults of a bot, with their reasons.

    To see the hand and the move of a fault, use `arena match show`.
    """
    with open_control(where) as control:
        answer = control.list_faults(pb.ListFaultsRequest(bot=name, limit=limit))
    if json_:
        print_json(answer)
    elif not answer.faults:
        note(f"{name} has no faults in rated matches.")
    else:
        columns = ("match", "finished", "decision", "fault", "reason", "played instead")
        print_table(columns, map(_fault, answer.faults), left=("match", "fault", *columns[4:]))


def _fault(item: pb.BotFault) -> tuple[object, ...]:
    finished, reason = when(item.finished), printable(item.reason)
    return item.match, finished, item.decision, item.kind, reason, item.instead


for name in KIT:
    if name.startswith("bot "):
        bot.add_command(author_command(name))
