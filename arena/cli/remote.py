"""The gRPC twin of the control service: asks a gateway, raises the same errors."""

from __future__ import annotations

from collections.abc import Iterator

import grpc

from arena.protocol import services
from arena.protocol.v1 import control_pb2 as pb
from arena.sdk.blocking import BlockingClient


class RemoteControl(BlockingClient):
    """`arena.service.control.port.Control` over a connection to a gateway."""

    service = services.CONTROL

    def register_bot(self, request: pb.RegisterBotRequest) -> pb.BotToken:
        """See the port."""
        return self._ask("RegisterBot", request, pb.BotToken)

    def new_version(self, request: pb.NewVersionRequest) -> pb.BotVersion:
        """See the port."""
        return self._ask("NewVersion", request, pb.BotVersion)

    def rotate_token(self, request: pb.BotName) -> pb.BotToken:
        """See the port."""
        return self._ask("RotateToken", request, pb.BotToken)

    def retire_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """See the port."""
        return self._ask("RetireBot", request, pb.BotRegistration)

    def bring_back_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """See the port."""
        return self._ask("BringBackBot", request, pb.BotRegistration)

    def set_owner(self, request: pb.BotOwner) -> pb.BotRegistration:
        """See the port."""
        return self._ask("SetOwner", request, pb.BotRegistration)

    def unbench_bot(self, request: pb.BotName) -> pb.BotRegistration:
        """See the port."""
        return self._ask("UnbenchBot", request, pb.BotRegistration)

    def list_bots(self, request: pb.ListBotsRequest) -> pb.Bots:
        """See the port."""
        return self._ask("ListBots", request, pb.Bots)

    def create_tournament(self, request: pb.TournamentSpec) -> pb.Tournament:
        """See the port."""
        return self._ask("CreateTournament", request, pb.Tournament)

    def forecast_tournament(self, request: pb.TournamentSpec) -> pb.Forecast:
        """See the port."""
        return self._ask("ForecastTournament", request, pb.Forecast)

    def get_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """See the port."""
        return self._ask("GetTournament", request, pb.Tournament)

    def list_tournaments(self, request: pb.ListTournamentsRequest) -> pb.Tournaments:
        """See the port."""
        return self._ask("ListTournaments", request, pb.Tournaments)

    def watch_tournament(self, request: pb.TournamentId) -> Iterator[pb.Tournament]:
        """See the port. Ends only with the tournament, so it has no time limit."""
        call: grpc.UnaryStreamMultiCallable[pb.TournamentId, pb.Tournament] = (
            self._channel.unary_stream(
                f"/{services.CONTROL}/WatchTournament",
                pb.TournamentId.SerializeToString,
                pb.Tournament.FromString,
            )
        )
        with self._arena_errors():
            yield from call(request, metadata=self._metadata)

    def cancel_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """See the port."""
        return self._ask("CancelTournament", request, pb.Tournament)

    def resume_tournament(self, request: pb.TournamentId) -> pb.Tournament:
        """See the port."""
        return self._ask("ResumeTournament", request, pb.Tournament)

    def enter_tournament(self, request: pb.EnterRequest) -> pb.Tournament:
        """See the port."""
        return self._ask("EnterTournament", request, pb.Tournament)

    def withdraw_from_tournament(self, request: pb.EnterRequest) -> pb.Tournament:
        """See the port."""
        return self._ask("WithdrawFromTournament", request, pb.Tournament)

    def set_priority(self, request: pb.PriorityRequest) -> pb.Tournament:
        """See the port."""
        return self._ask("SetPriority", request, pb.Tournament)

    def get_ratings(self, request: pb.RatingsRequest) -> pb.RatingTable:
        """See the port."""
        return self._ask("GetRatings", request, pb.RatingTable)

    def get_pairs(self, request: pb.RatingsRequest) -> pb.PairTable:
        """See the port."""
        return self._ask("GetPairs", request, pb.PairTable)

    def set_anchor(self, request: pb.Anchor) -> pb.Anchor:
        """See the port. No time limit: all matches are rated again."""
        return self._ask("SetAnchor", request, pb.Anchor, limit_s=None)

    def list_matches(self, request: pb.ListMatchesRequest) -> pb.Matches:
        """See the port."""
        return self._ask("ListMatches", request, pb.Matches)

    def get_crosstable(self, request: pb.TournamentId) -> pb.Crosstable:
        """See the port."""
        return self._ask("GetCrosstable", request, pb.Crosstable)

    def get_match_record(self, request: pb.MatchId) -> pb.MatchRecord:
        """See the port."""
        return self._ask("GetMatchRecord", request, pb.MatchRecord)

    def verify_match(self, request: pb.MatchId) -> pb.MatchVerification:
        """See the port."""
        return self._ask("VerifyMatch", request, pb.MatchVerification)

    def list_faults(self, request: pb.ListFaultsRequest) -> pb.Faults:
        """See the port."""
        return self._ask("ListFaults", request, pb.Faults)

    def get_first_faults(self, request: pb.TournamentId) -> pb.FirstFaults:
        """See the port."""
        return self._ask("GetFirstFaults", request, pb.FirstFaults)

    def list_games(self, request: pb.ListGamesRequest) -> pb.Games:
        """See the port."""
        return self._ask("ListGames", request, pb.Games)

    def get_rules(self, request: pb.GameName) -> pb.GameRules:
        """See the port."""
        return self._ask("GetRules", request, pb.GameRules)

    def list_formats(self, request: pb.ListFormatsRequest) -> pb.Formats:
        """See the port."""
        return self._ask("ListFormats", request, pb.Formats)
