"""The changes of a table before its start, each from one state to the next. They raise NotNow with
a message for the visitor."""

from __future__ import annotations

from dataclasses import replace

from arena.base import instant
from arena.base.errors import NotNow
from arena.service.live.lobbies import Lobby, Member
from arena.store.registry.names import looks
from dashboard.play.guests import Visitor


def member_of(lobby: Lobby, who: Visitor) -> Member | None:
    """The visitor's place at the table. Someone who has signed in since keeps it."""
    return next((member for member in lobby.members if _is(member, who)), None)


def _is(member: Member, who: Visitor) -> bool:
    if member.account is not None:
        return member.account == who.owner
    return member.guest == who.nameless


def is_host(lobby: Lobby, who: Visitor) -> bool:
    """Whether the visitor opened the table."""
    return _is(lobby.host, who)


def check_open(lobby: Lobby) -> None:
    """Raises NotNow if the game has started."""
    if not lobby.is_open:
        raise NotNow("The people at this table can no longer change. Its game has started.")


def check_room(lobby: Lobby) -> None:
    """Raises NotNow if the table takes no more people."""
    check_open(lobby)
    if lobby.full:
        raise NotNow(f"You cannot join. All {lobby.seats} seats are taken. Ask for another table.")


def joined(lobby: Lobby, new: Member) -> Lobby:
    """The table with another person."""
    if any(new.guest == member.guest for member in lobby.members):  # in another tab
        return lobby
    check_room(lobby)
    if new.guest in lobby.removed:
        raise NotNow("You cannot join. The host has removed you from this table.")
    if looks(new.shown) in {looks(member.shown) for member in lobby.members}:
        raise NotNow(f"{new.shown} is already at this table. Choose another name.")
    return replace(lobby, members=(*lobby.members, new))


def left(lobby: Lobby, guest: int) -> Lobby:
    """The table without a person, who is not the host."""
    check_open(lobby)
    others = [each for each in lobby.members if each.guest != guest or each == lobby.host]
    return replace(lobby, members=tuple(others))


def removed(lobby: Lobby, guest: int) -> Lobby:
    """The table without a person whom the host has removed."""
    there = {member.guest for member in lobby.members[1:]}
    if guest not in there:
        return lobby
    return replace(left(lobby, guest), removed=(*lobby.removed, guest))


def marked(lobby: Lobby, guest: int, *, ready: bool) -> Lobby:
    """The table with a person ready, or no longer ready."""
    check_open(lobby)
    people = [replace(each, ready=ready) if each.guest == guest else each for each in lobby.members]
    return replace(lobby, members=tuple(people))


def claimed(lobby: Lobby) -> Lobby:
    """The table whose game is being started, so that it does not start twice."""
    check_open(lobby)
    if len(lobby.members) < 2:
        raise NotNow("The game needs at least two people. Send the link to someone.")
    waited_for = [member.shown for member in lobby.members if not member.ready]
    if waited_for:
        raise NotNow(f"Not everyone is ready. The table waits for {', '.join(waited_for)}.")
    return replace(lobby, starting=instant.now())


def unclaimed(lobby: Lobby) -> Lobby:
    """The table whose game could not be started."""
    return replace(lobby, starting=0.0)
