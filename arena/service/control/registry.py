"""The parts of the Control API for registered bots and for games and formats, and the base of parts
that use the store."""

from collections.abc import Callable, Mapping

from sqlalchemy import Connection

from arena.games.guides import guide
from arena.games.rules import GAMES, game_class
from arena.games.rules.game import FEWEST_SEATS, MOST_SEATS
from arena.games.rules.options import Option
from arena.protocol.v1 import control_pb2 as pb
from arena.service.control.messages import filled
from arena.store.engine import Connections
from arena.store.registry import accounts, audit_log, bots
from arena.store.registry.audit_log import Actor
from arena.store.registry.bots import RegisteredBot
from arena.store.tournaments import bot_actions
from arena.tournaments.formats import FORMATS


class StoreService:
    """Holds the store, and a function that returns the caller for the audit log."""

    def __init__(self, store: Connections, actor: Callable[[], Actor | None]) -> None:
        self._store = store
        self._actor = actor

    def _note(self, conn: Connection, action: str, subject: str, details: str = "") -> None:
        audit_log.note(conn, self._actor(), action, subject, details)


class RegistryService(StoreService):
    """The methods for registered bots."""

    def register_bot(self, request: pb.RegisterBotRequest) -> pb.BotToken:
        """Registers a bot. Raises InvalidRequest for a bad name, AlreadyExists for a taken one."""
        with self._store.write() as conn:
            bot, token = bots.register(conn, request.name)
            self._note(conn, "registered", f"bot {bot.name}")
        return pb.BotToken(name=bot.name, token=token)

    def new_version(self, request: pb.NewVersionRequest) -> pb.BotVersion:
        """Creates a new version of a bot. Raises NotFound, InvalidRequest, AlreadyExists."""
        with self._store.write() as conn:
            bot = bot_actions.new_version(conn, self._actor(), request.name, request.version)
        return pb.BotVersion(name=bot.name, version=bot.version)

    def rotate_token(self, request: pb.BotName) -> pb.BotToken:
        """Replaces a bot's token. Raises NotFound."""
        with self._store.write() as conn:
            name = bots.get(conn, request.name).name
            token = bot_actions.new_token(conn, self._actor(), name)
        return pb.BotToken(name=name, token=token)

    def retire_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Retires a bot, and withdraws it from tournaments that are open for sign-up. Raises
        NotFound."""
        with self._store.write() as conn:
            return _registration(conn, bot_actions.retire(conn, self._actor(), request.name))

    def bring_back_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Reinstates a retired bot. Raises NotFound."""
        with self._store.write() as conn:
            return _registration(conn, bot_actions.bring_back(conn, self._actor(), request.name))

    def set_owner(self, request: pb.BotOwner) -> pb.BotRegistration:
        """Assigns a bot to an account, or to none. Raises NotFound for either."""
        with self._store.write() as conn:
            holder = accounts.by_name(conn, request.account) if request.account else None
            bot = bots.set_owner(conn, request.name, holder.id if holder else None)
            whose = f"to {holder.name}" if holder else "to nobody"
            self._note(conn, "gave away", f"bot {bot.name}", whose)
            return _registration(conn, bot)

    def unbench_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Lets a benched bot enter tournaments again. Raises NotFound."""
        with self._store.write() as conn:
            return _registration(conn, bot_actions.clear_bench(conn, self._actor(), request.name))


def _registration(conn: Connection, bot: RegisteredBot) -> pb.BotRegistration:
    owner = "" if bot.owner is None else accounts.get(conn, bot.owner).name
    return filled(pb.BotRegistration, bot, account=owner)


class ReferenceService:
    """The methods for games and formats."""

    def list_games(self, request: pb.ListGamesRequest) -> pb.Games:
        """All games with their options."""
        return pb.Games(
            games=[
                pb.Game(
                    name=name,
                    title=game.title,
                    ruleset=game.ruleset,
                    min_seats=FEWEST_SEATS,
                    max_seats=MOST_SEATS,
                    options=_options(game.known_options),
                )
                for name, game in GAMES.items()
            ]
        )

    def get_rules(self, request: pb.GameName) -> pb.GameRules:
        """The guide to a game. Raises InvalidRequest for an unknown one."""
        return pb.GameRules(name=game_class(request.name).name, markdown=guide(request.name))

    def list_formats(self, request: pb.ListFormatsRequest) -> pb.Formats:
        """All tournament formats with their options."""
        listed = []
        for name, format_ in FORMATS.items():
            options = _options(format_.options)
            listed.append(
                pb.Format(name=name, title=format_.title, about=format_.about, options=options)
            )
        return pb.Formats(formats=listed)


def _options(known: Mapping[str, Option]) -> list[pb.Option]:
    return [
        pb.Option(name=name, default_value=option.default, about=option.about)
        for name, option in known.items()
    ]
