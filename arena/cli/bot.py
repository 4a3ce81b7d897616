"""`arena bot`: register and connect bots."""

from __future__ import annotations

import click

from arena.bootstrap import operator
from arena.cli.author import author_command
from arena.cli.screen import note, print_json, print_table, say, when
from arena.cli.where import Where, arena_options, open_control, open_local_store
from arena.control.pages import every_bot
from arena.protocol.v1 import control_pb2 as pb


@click.group()
def bot() -> None:
    """Register and connect bots."""


@bot.command()
@click.argument("name")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def add(name: str, json_: bool, where: Where) -> None:
    """Register a bot and print its token.

    The token is shown this once. NAME is 1 to 40 letters, digits, ".", "_" and "-".

    \b
    Example:
      export ARENA_TOKEN=$(arena bot add mybot)
    """
    with open_control(where, begin_store=True) as control:
        answer = control.register_bot(pb.RegisterBotRequest(name=name))
    _give(answer, json_, f"{answer.name} is registered; it connects with this ARENA_TOKEN:")


@bot.command()
@click.argument("name")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def token(name: str, json_: bool, where: Where) -> None:
    """Give a bot a new token; the old one stops working."""
    with open_control(where) as control:
        answer = control.rotate_token(pb.BotName(name=name))
    _give(answer, json_, f"From now on {answer.name} connects with this ARENA_TOKEN:")


@bot.command()
@click.argument("name")
@click.argument("version", default="")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def version(name: str, version: str, json_: bool, where: Where) -> None:
    """Give a bot a new version, rated by itself under the same name.

    Do so whenever the program has changed: its old results say nothing about the new one. The
    token stays. The bot is the new version from its next connection on, so connect it again;
    tournaments that had begun with the old version do not get the new one. VERSION is 1 to 40
    letters, digits, ".", "_", "+" and "-"; without it versions are counted.

    \b
    Example:
      arena bot version mybot 2.1
    """
    with open_control(where) as control:
        answer = control.new_version(pb.NewVersionRequest(name=name, version=version))
    if json_:
        print_json(answer)
    else:
        say(f"{answer.name} is version {answer.version} from its next connection on.")


def _give(answer: pb.BotToken, json_: bool, sentence: str) -> None:
    if json_:
        print_json(answer)
    else:
        note(sentence)
        say(answer.token)


@bot.command("list")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@arena_options
def list_(json_: bool, where: Where) -> None:
    """List the registered bots and whether they are connected."""
    with open_control(where) as control:
        answer = every_bot(control)
    if json_:
        print_json(answer)
    elif not answer.bots:
        note("No bot is registered yet: arena bot add NAME")
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
    """Give a bot to an account, or without ACCOUNT to nobody.

    Its owner sees its token's page on the dashboard, rotates the token, makes versions and
    retires it. Bots registered by `arena bot add` belong to nobody.
    """
    # Not above: `arena bot connect` runs a bot, which shall not have a store imported.
    from arena.store.registry import accounts, audit_log, bots

    with open_local_store(where) as store, store.write() as conn:
        holder = accounts.by_name(conn, account) if account else None
        item = bots.set_owner(conn, name, holder.id if holder else None)
        whose = f"to {holder.name}" if holder else "to nobody"
        audit_log.note(conn, operator(), "gave away", f"bot {item.name}", whose)
    say(f"{item.name} belongs to {holder.name if holder else 'nobody'}.")


@bot.command()
@click.argument("name")
@click.option("--back", is_flag=True, help="Bring it back.")
@arena_options
def retire(name: str, back: bool, where: Where) -> None:
    """Keep a bot from connecting and from the lists; its results stay."""
    from arena.store.registry import audit_log, bots

    with open_local_store(where) as store, store.write() as conn:
        item = bots.bring_back(conn, name) if back else bots.retire(conn, name)
        done = "brought back" if back else "retired"
        audit_log.note(conn, operator(), done, f"bot {item.name}")
    say(f"{item.name} is {'back' if back else 'retired'}.")


@bot.command()
@click.argument("name")
@arena_options
def unbench(name: str, where: Where) -> None:
    """Let a benched bot play in new tournaments again.

    A bot is benched when it has forfeited match after match by its own faults
    (ARENA_BENCH_AFTER). Mend it first: its streak begins anew, not its patience.
    """
    from arena.store.tournaments import bench

    with open_local_store(where) as store, store.write() as conn:
        item = bench.come_back(conn, name)
    say(f"{item.name} can be entered into tournaments again.")


bot.add_command(author_command("bot connect"))
