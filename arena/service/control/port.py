"""The verbs of the Control contract, as whoever uses the arena sees them.

There are two twins: `arena.service.control.service.ControlService` works on the store in this
process, `arena.cli.remote.RemoteControl` asks a gateway. Both take and return the contract's
messages and raise errors of `arena.base.errors`, so that a command is written once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from arena.protocol.v1 import control_pb2 as pb


class Control(Protocol):
    """One method per RPC; control.proto says what each does."""

    def register_bot(self, request: pb.RegisterBotRequest) -> pb.BotToken:
        """Registers a bot and gives its token."""

    def new_version(self, request: pb.NewVersionRequest) -> pb.BotVersion:
        """Gives a bot a new version, with ratings of its own."""

    def rotate_token(self, request: pb.BotName) -> pb.BotToken:
        """Gives a new token; the old one stops working."""

    def retire_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Keeps a bot from connecting and from the lists."""

    def bring_back_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Ends a bot's retirement."""

    def set_owner(self, request: pb.BotOwner) -> pb.BotRegistration:
        """Gives a bot to an account, or to nobody."""

    def unbench_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Lets a benched bot enter tournaments again."""

    def list_bots(self, request: pb.ListBotsRequest) -> pb.Bots:
        """A page of the bots with their connection state, by name."""

    def create_tournament(self, request: pb.TournamentSpec) -> pb.Tournament:
        """Creates a tournament, which begins as soon as its bots are connected."""

    def forecast_tournament(self, request: pb.TournamentSpec) -> pb.Forecast:
        """How long such a tournament would take."""

    def get_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """One tournament with its standings."""

    def list_tournaments(self, request: pb.ListTournamentsRequest) -> pb.Tournaments:
        """A page of the tournaments, newest first, without standings."""

    def watch_tournament(self, request: pb.TournamentId) -> Iterator[pb.Tournament]:
        """The tournament now and whenever it changed, until it is over."""

    def cancel_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """Stops a tournament; what was played stays."""

    def resume_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """Carries a cancelled tournament on where it stopped, or begins a scheduled one now."""

    def enter_tournament(self, request: pb.EnterRequest) -> pb.Tournament:
        """Lets a bot join a ladder, or a tournament that is open for sign-up."""

    def withdraw_from_tournament(self, request: pb.EnterRequest) -> pb.Tournament:
        """Takes a bot out of a tournament that is open for sign-up."""

    def set_priority(self, request: pb.PriorityRequest) -> pb.Tournament:
        """Changes how large a share of the workers a tournament gets."""

    def get_ratings(self, request: pb.RatingsRequest) -> pb.RatingTable:
        """A rating table."""

    def get_pairs(self, request: pb.RatingsRequest) -> pb.PairTable:
        """How the bots of a rating table stand to each other."""

    def set_anchor(self, request: pb.Anchor) -> pb.Anchor:
        """Chooses the bot whose rating and Elo are 1500; slow where matches are many."""

    def list_matches(self, request: pb.ListMatchesRequest) -> pb.Matches:
        """A page of matches, newest first, or a bot's worst."""

    def get_crosstable(self, request: pb.TournamentId) -> pb.Crosstable:
        """How the bots of a tournament did against each other."""

    def get_match_record(self, request: pb.MatchId) -> pb.MatchRecord:
        """The record of one match in the JSON export format."""

    def verify_match(self, request: pb.MatchId) -> pb.MatchVerification:
        """Plays a match again, and compares what is stored."""

    def list_faults(self, request: pb.ListFaultsRequest) -> pb.Faults:
        """The latest faults of a bot."""

    def get_first_faults(self, request: pb.TournamentId) -> pb.FirstFaults:
        """The first fault of every bot of a tournament."""

    def list_games(self, request: pb.ListGamesRequest) -> pb.Games:
        """The games with their options."""

    def get_rules(self, request: pb.GameName) -> pb.GameRules:
        """The guide to a game."""

    def list_formats(self, request: pb.ListFormatsRequest) -> pb.Formats:
        """The tournament formats with their options."""
