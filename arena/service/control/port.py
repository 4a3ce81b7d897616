"""The interface of the Control API.

`arena.service.control.service.ControlService` implements it on the store of this process, and
`arena.cli.remote.RemoteControl` through a gateway. Both raise errors of `arena.base.errors`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from arena.protocol.v1 import control_pb2 as pb


class Control(Protocol):
    """One method per RPC of control.proto."""

    def register_bot(self, request: pb.RegisterBotRequest) -> pb.BotToken:
        """Registers a bot. Returns its token."""

    def new_version(self, request: pb.NewVersionRequest) -> pb.BotVersion:
        """Creates a new version of a bot, which is rated separately."""

    def rotate_token(self, request: pb.BotName) -> pb.BotToken:
        """Replaces a bot's token."""

    def retire_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Retires a bot: it can no longer connect and is hidden from lists."""

    def bring_back_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Reinstates a retired bot."""

    def set_owner(self, request: pb.BotOwner) -> pb.BotRegistration:
        """Assigns a bot to an account, or to none."""

    def unbench_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """Lets a benched bot enter tournaments again."""

    def list_bots(self, request: pb.ListBotsRequest) -> pb.Bots:
        """A page of the bots with their connection state, by name."""

    def create_tournament(self, request: pb.TournamentSpec) -> pb.Tournament:
        """Creates a tournament, which starts as soon as its bots are connected."""

    def forecast_tournament(self, request: pb.TournamentSpec) -> pb.Forecast:
        """Estimates how long a tournament would take."""

    def get_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """A tournament with its standings."""

    def list_tournaments(self, request: pb.ListTournamentsRequest) -> pb.Tournaments:
        """A page of the tournaments, newest first, without standings."""

    def watch_tournament(self, request: pb.TournamentId) -> Iterator[pb.Tournament]:
        """Yields the tournament now and after each change, until it is finished or cancelled."""

    def cancel_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """Cancels a tournament. Its results are kept."""

    def resume_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """Resumes a cancelled tournament, or starts a scheduled one now."""

    def enter_tournament(self, request: pb.EnterRequest) -> pb.Tournament:
        """Enters a bot in a ladder, or in a tournament that is open for sign-up."""

    def withdraw_from_tournament(self, request: pb.EnterRequest) -> pb.Tournament:
        """Withdraws a bot from a tournament that is open for sign-up."""

    def set_priority(self, request: pb.PriorityRequest) -> pb.Tournament:
        """Changes the share of the workers that a tournament gets."""

    def get_series(self, request: pb.SeriesId) -> pb.Series:
        """A series of tournaments with the season's standings."""

    def end_series(self, request: pb.SeriesId) -> pb.Series:
        """Ends a series: no further tournament is opened."""

    def get_ratings(self, request: pb.RatingsRequest) -> pb.RatingTable:
        """A leaderboard."""

    def get_pairs(self, request: pb.RatingsRequest) -> pb.PairTable:
        """Compares the bots of a leaderboard in pairs."""

    def set_anchor(self, request: pb.Anchor) -> pb.Anchor:
        """Sets the bot whose rating and Elo are 1500. Slow if there are many matches."""

    def list_matches(self, request: pb.ListMatchesRequest) -> pb.Matches:
        """A page of matches, newest first, or a bot's worst."""

    def get_crosstable(self, request: pb.TournamentId) -> pb.Crosstable:
        """The results of a tournament's bots against each other."""

    def get_match_record(self, request: pb.MatchId) -> pb.MatchRecord:
        """The record of a match in the JSON export format."""

    def verify_match(self, request: pb.MatchId) -> pb.MatchVerification:
        """Replays a match and compares it with the stored result."""

    def list_faults(self, request: pb.ListFaultsRequest) -> pb.Faults:
        """The latest faults of a bot."""

    def get_first_faults(self, request: pb.TournamentId) -> pb.FirstFaults:
        """The first fault of each bot of a tournament."""

    def list_games(self, request: pb.ListGamesRequest) -> pb.Games:
        """The games with their options."""

    def get_rules(self, request: pb.GameName) -> pb.GameRules:
        """The guide to a game."""

    def list_formats(self, request: pb.ListFormatsRequest) -> pb.Formats:
        """The tournament formats with their options."""
