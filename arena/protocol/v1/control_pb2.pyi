from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RegisterBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class NewVersionRequest(_message.Message):
    __slots__ = ("name", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class BotVersion(_message.Message):
    __slots__ = ("name", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class BotName(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class BotOwner(_message.Message):
    __slots__ = ("name", "account")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    name: str
    account: str
    def __init__(self, name: _Optional[str] = ..., account: _Optional[str] = ...) -> None: ...

class BotRegistration(_message.Message):
    __slots__ = ("name", "version", "account", "retired")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    account: str
    retired: float
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., account: _Optional[str] = ..., retired: _Optional[float] = ...) -> None: ...

class BotToken(_message.Message):
    __slots__ = ("name", "token")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    name: str
    token: str
    def __init__(self, name: _Optional[str] = ..., token: _Optional[str] = ...) -> None: ...

class ListBotsRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: str
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[str] = ...) -> None: ...

class Bots(_message.Message):
    __slots__ = ("bots", "next")
    BOTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[BotStatus]
    next: str
    def __init__(self, bots: _Optional[_Iterable[_Union[BotStatus, _Mapping]]] = ..., next: _Optional[str] = ...) -> None: ...

class BotStatus(_message.Message):
    __slots__ = ("name", "version", "created", "connected", "sdk", "games", "matches")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    SDK_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    created: float
    connected: bool
    sdk: str
    games: _containers.RepeatedScalarFieldContainer[str]
    matches: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., created: _Optional[float] = ..., connected: _Optional[bool] = ..., sdk: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., matches: _Optional[int] = ...) -> None: ...

class TournamentSpec(_message.Message):
    __slots__ = ("name", "game", "options", "format", "seats", "bots", "deals", "seed", "move_ms", "start_grace_s", "fault_limit", "format_options", "matches", "trusted", "isolation", "luck", "starts_at", "sign_up", "salt", "recurrence")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class FormatOptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    MOVE_MS_FIELD_NUMBER: _ClassVar[int]
    START_GRACE_S_FIELD_NUMBER: _ClassVar[int]
    FAULT_LIMIT_FIELD_NUMBER: _ClassVar[int]
    FORMAT_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    TRUSTED_FIELD_NUMBER: _ClassVar[int]
    ISOLATION_FIELD_NUMBER: _ClassVar[int]
    LUCK_FIELD_NUMBER: _ClassVar[int]
    STARTS_AT_FIELD_NUMBER: _ClassVar[int]
    SIGN_UP_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    RECURRENCE_FIELD_NUMBER: _ClassVar[int]
    name: str
    game: str
    options: _containers.ScalarMap[str, str]
    format: str
    seats: int
    bots: _containers.RepeatedScalarFieldContainer[str]
    deals: int
    seed: int
    move_ms: int
    start_grace_s: int
    fault_limit: int
    format_options: _containers.ScalarMap[str, str]
    matches: int
    trusted: bool
    isolation: str
    luck: str
    starts_at: float
    sign_up: SignUp
    salt: str
    recurrence: Recurrence
    def __init__(self, name: _Optional[str] = ..., game: _Optional[str] = ..., options: _Optional[_Mapping[str, str]] = ..., format: _Optional[str] = ..., seats: _Optional[int] = ..., bots: _Optional[_Iterable[str]] = ..., deals: _Optional[int] = ..., seed: _Optional[int] = ..., move_ms: _Optional[int] = ..., start_grace_s: _Optional[int] = ..., fault_limit: _Optional[int] = ..., format_options: _Optional[_Mapping[str, str]] = ..., matches: _Optional[int] = ..., trusted: _Optional[bool] = ..., isolation: _Optional[str] = ..., luck: _Optional[str] = ..., starts_at: _Optional[float] = ..., sign_up: _Optional[_Union[SignUp, _Mapping]] = ..., salt: _Optional[str] = ..., recurrence: _Optional[_Union[Recurrence, _Mapping]] = ...) -> None: ...

class Recurrence(_message.Message):
    __slots__ = ("days", "zone", "until", "counted")
    DAYS_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    COUNTED_FIELD_NUMBER: _ClassVar[int]
    days: int
    zone: str
    until: str
    counted: int
    def __init__(self, days: _Optional[int] = ..., zone: _Optional[str] = ..., until: _Optional[str] = ..., counted: _Optional[int] = ...) -> None: ...

class SignUp(_message.Message):
    __slots__ = ("max_bots", "bots_per_author")
    MAX_BOTS_FIELD_NUMBER: _ClassVar[int]
    BOTS_PER_AUTHOR_FIELD_NUMBER: _ClassVar[int]
    max_bots: int
    bots_per_author: int
    def __init__(self, max_bots: _Optional[int] = ..., bots_per_author: _Optional[int] = ...) -> None: ...

class TournamentId(_message.Message):
    __slots__ = ("id", "ratings")
    ID_FIELD_NUMBER: _ClassVar[int]
    RATINGS_FIELD_NUMBER: _ClassVar[int]
    id: int
    ratings: bool
    def __init__(self, id: _Optional[int] = ..., ratings: _Optional[bool] = ...) -> None: ...

class Tournament(_message.Message):
    __slots__ = ("id", "spec", "state", "note", "created", "started", "finished", "planned", "played", "standings", "luck", "remarks", "test", "commitment", "secret", "repeatable", "entrants", "forecast", "priority", "match_luck", "starts_at", "sign_up", "left_out", "verdict", "forecast_check", "series")
    class LeftOutEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    PLANNED_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    LUCK_FIELD_NUMBER: _ClassVar[int]
    REMARKS_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    REPEATABLE_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    FORECAST_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    MATCH_LUCK_FIELD_NUMBER: _ClassVar[int]
    STARTS_AT_FIELD_NUMBER: _ClassVar[int]
    SIGN_UP_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    FORECAST_CHECK_FIELD_NUMBER: _ClassVar[int]
    SERIES_FIELD_NUMBER: _ClassVar[int]
    id: int
    spec: TournamentSpec
    state: str
    note: str
    created: float
    started: float
    finished: float
    planned: int
    played: int
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    luck: Luck
    remarks: _containers.RepeatedScalarFieldContainer[str]
    test: SequentialTest
    commitment: str
    secret: str
    repeatable: bool
    entrants: _containers.RepeatedCompositeFieldContainer[Entrant]
    forecast: Forecast
    priority: str
    match_luck: TournamentLuck
    starts_at: float
    sign_up: SignUp
    left_out: _containers.ScalarMap[str, str]
    verdict: Verdict
    forecast_check: ForecastCheck
    series: int
    def __init__(self, id: _Optional[int] = ..., spec: _Optional[_Union[TournamentSpec, _Mapping]] = ..., state: _Optional[str] = ..., note: _Optional[str] = ..., created: _Optional[float] = ..., started: _Optional[float] = ..., finished: _Optional[float] = ..., planned: _Optional[int] = ..., played: _Optional[int] = ..., standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ..., luck: _Optional[_Union[Luck, _Mapping]] = ..., remarks: _Optional[_Iterable[str]] = ..., test: _Optional[_Union[SequentialTest, _Mapping]] = ..., commitment: _Optional[str] = ..., secret: _Optional[str] = ..., repeatable: _Optional[bool] = ..., entrants: _Optional[_Iterable[_Union[Entrant, _Mapping]]] = ..., forecast: _Optional[_Union[Forecast, _Mapping]] = ..., priority: _Optional[str] = ..., match_luck: _Optional[_Union[TournamentLuck, _Mapping]] = ..., starts_at: _Optional[float] = ..., sign_up: _Optional[_Union[SignUp, _Mapping]] = ..., left_out: _Optional[_Mapping[str, str]] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., forecast_check: _Optional[_Union[ForecastCheck, _Mapping]] = ..., series: _Optional[int] = ...) -> None: ...

class SeriesId(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class Series(_message.Message):
    __slots__ = ("id", "name", "recurrence", "sentence", "tournaments", "starts", "standings")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RECURRENCE_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    STARTS_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    recurrence: Recurrence
    sentence: str
    tournaments: _containers.RepeatedScalarFieldContainer[int]
    starts: _containers.RepeatedScalarFieldContainer[float]
    standings: _containers.RepeatedCompositeFieldContainer[SeasonLine]
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., recurrence: _Optional[_Union[Recurrence, _Mapping]] = ..., sentence: _Optional[str] = ..., tournaments: _Optional[_Iterable[int]] = ..., starts: _Optional[_Iterable[float]] = ..., standings: _Optional[_Iterable[_Union[SeasonLine, _Mapping]]] = ...) -> None: ...

class SeasonLine(_message.Message):
    __slots__ = ("bot", "points", "results", "counted")
    class ResultsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: float
        def __init__(self, key: _Optional[int] = ..., value: _Optional[float] = ...) -> None: ...
    BOT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    COUNTED_FIELD_NUMBER: _ClassVar[int]
    bot: str
    points: float
    results: _containers.ScalarMap[int, float]
    counted: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, bot: _Optional[str] = ..., points: _Optional[float] = ..., results: _Optional[_Mapping[int, float]] = ..., counted: _Optional[_Iterable[int]] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ("trusted", "cause", "decisions", "faults", "share", "kinds", "bots", "sentence")
    class KindsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    TRUSTED_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    trusted: bool
    cause: str
    decisions: int
    faults: int
    share: float
    kinds: _containers.ScalarMap[str, int]
    bots: _containers.RepeatedCompositeFieldContainer[BotAtFault]
    sentence: str
    def __init__(self, trusted: _Optional[bool] = ..., cause: _Optional[str] = ..., decisions: _Optional[int] = ..., faults: _Optional[int] = ..., share: _Optional[float] = ..., kinds: _Optional[_Mapping[str, int]] = ..., bots: _Optional[_Iterable[_Union[BotAtFault, _Mapping]]] = ..., sentence: _Optional[str] = ...) -> None: ...

class BotAtFault(_message.Message):
    __slots__ = ("bot", "version", "faults", "forfeits", "share", "kinds")
    class KindsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    faults: int
    forfeits: int
    share: float
    kinds: _containers.ScalarMap[str, int]
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., faults: _Optional[int] = ..., forfeits: _Optional[int] = ..., share: _Optional[float] = ..., kinds: _Optional[_Mapping[str, int]] = ...) -> None: ...

class ForecastCheck(_message.Message):
    __slots__ = ("forecast_seconds", "seconds", "over", "sentence")
    FORECAST_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    forecast_seconds: float
    seconds: float
    over: bool
    sentence: str
    def __init__(self, forecast_seconds: _Optional[float] = ..., seconds: _Optional[float] = ..., over: _Optional[bool] = ..., sentence: _Optional[str] = ...) -> None: ...

class Forecast(_message.Message):
    __slots__ = ("matches", "at_most", "seconds", "matches_per_second", "slowest", "waits", "without_slowest", "unmeasured", "away", "sentences", "alone", "likely_matches", "likely_seconds")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    AT_MOST_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SLOWEST_FIELD_NUMBER: _ClassVar[int]
    WAITS_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_SLOWEST_FIELD_NUMBER: _ClassVar[int]
    UNMEASURED_FIELD_NUMBER: _ClassVar[int]
    AWAY_FIELD_NUMBER: _ClassVar[int]
    SENTENCES_FIELD_NUMBER: _ClassVar[int]
    ALONE_FIELD_NUMBER: _ClassVar[int]
    LIKELY_MATCHES_FIELD_NUMBER: _ClassVar[int]
    LIKELY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    matches: int
    at_most: bool
    seconds: float
    matches_per_second: float
    slowest: SlowBot
    waits: bool
    without_slowest: float
    unmeasured: _containers.RepeatedScalarFieldContainer[str]
    away: _containers.RepeatedScalarFieldContainer[str]
    sentences: _containers.RepeatedScalarFieldContainer[str]
    alone: float
    likely_matches: int
    likely_seconds: float
    def __init__(self, matches: _Optional[int] = ..., at_most: _Optional[bool] = ..., seconds: _Optional[float] = ..., matches_per_second: _Optional[float] = ..., slowest: _Optional[_Union[SlowBot, _Mapping]] = ..., waits: _Optional[bool] = ..., without_slowest: _Optional[float] = ..., unmeasured: _Optional[_Iterable[str]] = ..., away: _Optional[_Iterable[str]] = ..., sentences: _Optional[_Iterable[str]] = ..., alone: _Optional[float] = ..., likely_matches: _Optional[int] = ..., likely_seconds: _Optional[float] = ...) -> None: ...

class SlowBot(_message.Message):
    __slots__ = ("bot", "seconds", "per_second", "p50_us", "at_once")
    BOT_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    P50_US_FIELD_NUMBER: _ClassVar[int]
    AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    bot: str
    seconds: float
    per_second: float
    p50_us: int
    at_once: int
    def __init__(self, bot: _Optional[str] = ..., seconds: _Optional[float] = ..., per_second: _Optional[float] = ..., p50_us: _Optional[int] = ..., at_once: _Optional[int] = ...) -> None: ...

class Entrant(_message.Message):
    __slots__ = ("bot", "version", "author", "withdrawn")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    author: int
    withdrawn: float
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., author: _Optional[int] = ..., withdrawn: _Optional[float] = ...) -> None: ...

class SequentialTest(_message.Message):
    __slots__ = ("state", "deals", "llr", "lower", "upper", "mean", "normalized_elo", "plus_minus")
    STATE_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    LLR_FIELD_NUMBER: _ClassVar[int]
    LOWER_FIELD_NUMBER: _ClassVar[int]
    UPPER_FIELD_NUMBER: _ClassVar[int]
    MEAN_FIELD_NUMBER: _ClassVar[int]
    NORMALIZED_ELO_FIELD_NUMBER: _ClassVar[int]
    PLUS_MINUS_FIELD_NUMBER: _ClassVar[int]
    state: str
    deals: int
    llr: float
    lower: float
    upper: float
    mean: float
    normalized_elo: float
    plus_minus: float
    def __init__(self, state: _Optional[str] = ..., deals: _Optional[int] = ..., llr: _Optional[float] = ..., lower: _Optional[float] = ..., upper: _Optional[float] = ..., mean: _Optional[float] = ..., normalized_elo: _Optional[float] = ..., plus_minus: _Optional[float] = ...) -> None: ...

class PriorityRequest(_message.Message):
    __slots__ = ("tournament", "priority")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    priority: str
    def __init__(self, tournament: _Optional[int] = ..., priority: _Optional[str] = ...) -> None: ...

class EnterRequest(_message.Message):
    __slots__ = ("tournament", "bot")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    bot: str
    def __init__(self, tournament: _Optional[int] = ..., bot: _Optional[str] = ...) -> None: ...

class Luck(_message.Message):
    __slots__ = ("deals", "saved", "matches", "mean_points", "plus_minus", "shared")
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SAVED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    MEAN_POINTS_FIELD_NUMBER: _ClassVar[int]
    PLUS_MINUS_FIELD_NUMBER: _ClassVar[int]
    SHARED_FIELD_NUMBER: _ClassVar[int]
    deals: int
    saved: float
    matches: int
    mean_points: _containers.RepeatedScalarFieldContainer[float]
    plus_minus: float
    shared: bool
    def __init__(self, deals: _Optional[int] = ..., saved: _Optional[float] = ..., matches: _Optional[int] = ..., mean_points: _Optional[_Iterable[float]] = ..., plus_minus: _Optional[float] = ..., shared: _Optional[bool] = ...) -> None: ...

class TournamentLuck(_message.Message):
    __slots__ = ("matches", "looked_at", "model", "corrected", "factor", "factor_low", "factor_high", "coefficient", "bots")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    LOOKED_AT_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CORRECTED_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    FACTOR_LOW_FIELD_NUMBER: _ClassVar[int]
    FACTOR_HIGH_FIELD_NUMBER: _ClassVar[int]
    COEFFICIENT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    matches: int
    looked_at: int
    model: str
    corrected: bool
    factor: float
    factor_low: float
    factor_high: float
    coefficient: float
    bots: _containers.RepeatedCompositeFieldContainer[BotLuck]
    def __init__(self, matches: _Optional[int] = ..., looked_at: _Optional[int] = ..., model: _Optional[str] = ..., corrected: _Optional[bool] = ..., factor: _Optional[float] = ..., factor_low: _Optional[float] = ..., factor_high: _Optional[float] = ..., coefficient: _Optional[float] = ..., bots: _Optional[_Iterable[_Union[BotLuck, _Mapping]]] = ...) -> None: ...

class BotLuck(_message.Message):
    __slots__ = ("bot", "version", "matches", "luck", "total", "kinds", "score", "plus_minus", "wins")
    class KindsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: float
        def __init__(self, key: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    LUCK_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    PLUS_MINUS_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    matches: int
    luck: float
    total: float
    kinds: _containers.ScalarMap[str, float]
    score: float
    plus_minus: float
    wins: _containers.RepeatedCompositeFieldContainer[LuckyWin]
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., matches: _Optional[int] = ..., luck: _Optional[float] = ..., total: _Optional[float] = ..., kinds: _Optional[_Mapping[str, float]] = ..., score: _Optional[float] = ..., plus_minus: _Optional[float] = ..., wins: _Optional[_Iterable[_Union[LuckyWin, _Mapping]]] = ...) -> None: ...

class LuckyWin(_message.Message):
    __slots__ = ("match", "luck")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    LUCK_FIELD_NUMBER: _ClassVar[int]
    match: str
    luck: float
    def __init__(self, match: _Optional[str] = ..., luck: _Optional[float] = ...) -> None: ...

class Crosstable(_message.Message):
    __slots__ = ("tournament", "meetings")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    MEETINGS_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    meetings: _containers.RepeatedCompositeFieldContainer[Meeting]
    def __init__(self, tournament: _Optional[int] = ..., meetings: _Optional[_Iterable[_Union[Meeting, _Mapping]]] = ...) -> None: ...

class Meeting(_message.Message):
    __slots__ = ("bot", "opponent", "matches", "score", "point_difference")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    POINT_DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    bot: str
    opponent: str
    matches: int
    score: float
    point_difference: float
    def __init__(self, bot: _Optional[str] = ..., opponent: _Optional[str] = ..., matches: _Optional[int] = ..., score: _Optional[float] = ..., point_difference: _Optional[float] = ...) -> None: ...

class ListTournamentsRequest(_message.Message):
    __slots__ = ("limit", "after")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    limit: int
    after: int
    def __init__(self, limit: _Optional[int] = ..., after: _Optional[int] = ...) -> None: ...

class Tournaments(_message.Message):
    __slots__ = ("tournaments", "next")
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[Tournament]
    next: int
    def __init__(self, tournaments: _Optional[_Iterable[_Union[Tournament, _Mapping]]] = ..., next: _Optional[int] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("rank", "bot", "rating", "rating_plus_minus", "rating_provisional", "rating_disconnected", "elo", "matches", "wins", "shared_wins", "mean_points", "score", "faults", "forfeits", "version", "sibling_matches", "score_with_siblings", "score_without_siblings")
    RANK_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    RATING_PLUS_MINUS_FIELD_NUMBER: _ClassVar[int]
    RATING_PROVISIONAL_FIELD_NUMBER: _ClassVar[int]
    RATING_DISCONNECTED_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    SHARED_WINS_FIELD_NUMBER: _ClassVar[int]
    MEAN_POINTS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SIBLING_MATCHES_FIELD_NUMBER: _ClassVar[int]
    SCORE_WITH_SIBLINGS_FIELD_NUMBER: _ClassVar[int]
    SCORE_WITHOUT_SIBLINGS_FIELD_NUMBER: _ClassVar[int]
    rank: int
    bot: str
    rating: float
    rating_plus_minus: float
    rating_provisional: bool
    rating_disconnected: bool
    elo: float
    matches: int
    wins: int
    shared_wins: int
    mean_points: float
    score: float
    faults: int
    forfeits: int
    version: str
    sibling_matches: int
    score_with_siblings: float
    score_without_siblings: float
    def __init__(self, rank: _Optional[int] = ..., bot: _Optional[str] = ..., rating: _Optional[float] = ..., rating_plus_minus: _Optional[float] = ..., rating_provisional: _Optional[bool] = ..., rating_disconnected: _Optional[bool] = ..., elo: _Optional[float] = ..., matches: _Optional[int] = ..., wins: _Optional[int] = ..., shared_wins: _Optional[int] = ..., mean_points: _Optional[float] = ..., score: _Optional[float] = ..., faults: _Optional[int] = ..., forfeits: _Optional[int] = ..., version: _Optional[str] = ..., sibling_matches: _Optional[int] = ..., score_with_siblings: _Optional[float] = ..., score_without_siblings: _Optional[float] = ...) -> None: ...

class RatingsRequest(_message.Message):
    __slots__ = ("game", "seats", "all_versions", "active_days", "bot")
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ALL_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_DAYS_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    game: str
    seats: int
    all_versions: bool
    active_days: float
    bot: str
    def __init__(self, game: _Optional[str] = ..., seats: _Optional[int] = ..., all_versions: _Optional[bool] = ..., active_days: _Optional[float] = ..., bot: _Optional[str] = ...) -> None: ...

class RatingTable(_message.Message):
    __slots__ = ("game", "seats", "ratings", "anchor", "deals", "corrected_deals", "matches", "corrected_matches", "luck_pending", "elo_pending", "luck_coefficient")
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    RATINGS_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    CORRECTED_DEALS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    CORRECTED_MATCHES_FIELD_NUMBER: _ClassVar[int]
    LUCK_PENDING_FIELD_NUMBER: _ClassVar[int]
    ELO_PENDING_FIELD_NUMBER: _ClassVar[int]
    LUCK_COEFFICIENT_FIELD_NUMBER: _ClassVar[int]
    game: str
    seats: int
    ratings: _containers.RepeatedCompositeFieldContainer[Rating]
    anchor: str
    deals: int
    corrected_deals: int
    matches: int
    corrected_matches: int
    luck_pending: int
    elo_pending: int
    luck_coefficient: float
    def __init__(self, game: _Optional[str] = ..., seats: _Optional[int] = ..., ratings: _Optional[_Iterable[_Union[Rating, _Mapping]]] = ..., anchor: _Optional[str] = ..., deals: _Optional[int] = ..., corrected_deals: _Optional[int] = ..., matches: _Optional[int] = ..., corrected_matches: _Optional[int] = ..., luck_pending: _Optional[int] = ..., elo_pending: _Optional[int] = ..., luck_coefficient: _Optional[float] = ...) -> None: ...

class Rating(_message.Message):
    __slots__ = ("rank", "bot", "version", "elo", "matches", "wins", "shared_wins", "mean_points", "faults", "rating", "plus_minus", "rank_low", "rank_high", "deals", "provisional", "disconnected", "latest")
    RANK_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    SHARED_WINS_FIELD_NUMBER: _ClassVar[int]
    MEAN_POINTS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    PLUS_MINUS_FIELD_NUMBER: _ClassVar[int]
    RANK_LOW_FIELD_NUMBER: _ClassVar[int]
    RANK_HIGH_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    PROVISIONAL_FIELD_NUMBER: _ClassVar[int]
    DISCONNECTED_FIELD_NUMBER: _ClassVar[int]
    LATEST_FIELD_NUMBER: _ClassVar[int]
    rank: int
    bot: str
    version: str
    elo: float
    matches: int
    wins: int
    shared_wins: int
    mean_points: float
    faults: int
    rating: float
    plus_minus: float
    rank_low: int
    rank_high: int
    deals: int
    provisional: bool
    disconnected: bool
    latest: bool
    def __init__(self, rank: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ..., elo: _Optional[float] = ..., matches: _Optional[int] = ..., wins: _Optional[int] = ..., shared_wins: _Optional[int] = ..., mean_points: _Optional[float] = ..., faults: _Optional[int] = ..., rating: _Optional[float] = ..., plus_minus: _Optional[float] = ..., rank_low: _Optional[int] = ..., rank_high: _Optional[int] = ..., deals: _Optional[int] = ..., provisional: _Optional[bool] = ..., disconnected: _Optional[bool] = ..., latest: _Optional[bool] = ...) -> None: ...

class Anchor(_message.Message):
    __slots__ = ("game", "bot", "rated_again")
    GAME_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    RATED_AGAIN_FIELD_NUMBER: _ClassVar[int]
    game: str
    bot: str
    rated_again: int
    def __init__(self, game: _Optional[str] = ..., bot: _Optional[str] = ..., rated_again: _Optional[int] = ...) -> None: ...

class PairTable(_message.Message):
    __slots__ = ("game", "seats", "pairs")
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    game: str
    seats: int
    pairs: _containers.RepeatedCompositeFieldContainer[Pair]
    def __init__(self, game: _Optional[str] = ..., seats: _Optional[int] = ..., pairs: _Optional[_Iterable[_Union[Pair, _Mapping]]] = ...) -> None: ...

class Pair(_message.Message):
    __slots__ = ("bot", "version", "other", "other_version", "deals", "observed", "expected", "residual", "difference", "plus_minus", "stronger", "surely", "score_plus_minus")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    OTHER_VERSION_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    RESIDUAL_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    PLUS_MINUS_FIELD_NUMBER: _ClassVar[int]
    STRONGER_FIELD_NUMBER: _ClassVar[int]
    SURELY_FIELD_NUMBER: _ClassVar[int]
    SCORE_PLUS_MINUS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    other: str
    other_version: str
    deals: int
    observed: float
    expected: float
    residual: float
    difference: float
    plus_minus: float
    stronger: float
    surely: bool
    score_plus_minus: float
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., other: _Optional[str] = ..., other_version: _Optional[str] = ..., deals: _Optional[int] = ..., observed: _Optional[float] = ..., expected: _Optional[float] = ..., residual: _Optional[float] = ..., difference: _Optional[float] = ..., plus_minus: _Optional[float] = ..., stronger: _Optional[float] = ..., surely: _Optional[bool] = ..., score_plus_minus: _Optional[float] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("bot", "tournament", "limit", "after", "lost", "faults", "worst", "archived")
    BOT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    WORST_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    bot: str
    tournament: int
    limit: int
    after: str
    lost: bool
    faults: bool
    worst: bool
    archived: bool
    def __init__(self, bot: _Optional[str] = ..., tournament: _Optional[int] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ..., lost: _Optional[bool] = ..., faults: _Optional[bool] = ..., worst: _Optional[bool] = ..., archived: _Optional[bool] = ...) -> None: ...

class Matches(_message.Message):
    __slots__ = ("matches", "next", "older")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    OLDER_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    next: str
    older: str
    def __init__(self, matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., next: _Optional[str] = ..., older: _Optional[str] = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("id", "tournament", "game", "finished", "seats", "deal", "position")
    ID_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    tournament: int
    game: str
    finished: float
    seats: _containers.RepeatedCompositeFieldContainer[SeatResult]
    deal: int
    position: int
    def __init__(self, id: _Optional[str] = ..., tournament: _Optional[int] = ..., game: _Optional[str] = ..., finished: _Optional[float] = ..., seats: _Optional[_Iterable[_Union[SeatResult, _Mapping]]] = ..., deal: _Optional[int] = ..., position: _Optional[int] = ...) -> None: ...

class SeatResult(_message.Message):
    __slots__ = ("bot", "version", "points", "rank", "faults", "forfeited", "elo_change", "luck")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    ELO_CHANGE_FIELD_NUMBER: _ClassVar[int]
    LUCK_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    points: int
    rank: int
    faults: int
    forfeited: bool
    elo_change: float
    luck: float
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., points: _Optional[int] = ..., rank: _Optional[int] = ..., faults: _Optional[int] = ..., forfeited: _Optional[bool] = ..., elo_change: _Optional[float] = ..., luck: _Optional[float] = ...) -> None: ...

class MatchId(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class MatchRecord(_message.Message):
    __slots__ = ("json", "luck", "luck_model")
    JSON_FIELD_NUMBER: _ClassVar[int]
    LUCK_FIELD_NUMBER: _ClassVar[int]
    LUCK_MODEL_FIELD_NUMBER: _ClassVar[int]
    json: str
    luck: _containers.RepeatedScalarFieldContainer[float]
    luck_model: str
    def __init__(self, json: _Optional[str] = ..., luck: _Optional[_Iterable[float]] = ..., luck_model: _Optional[str] = ...) -> None: ...

class MatchVerification(_message.Message):
    __slots__ = ("id", "right", "problem")
    ID_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    id: str
    right: bool
    problem: str
    def __init__(self, id: _Optional[str] = ..., right: _Optional[bool] = ..., problem: _Optional[str] = ...) -> None: ...

class ListFaultsRequest(_message.Message):
    __slots__ = ("bot", "limit")
    BOT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    limit: int
    def __init__(self, bot: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class Faults(_message.Message):
    __slots__ = ("faults",)
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    faults: _containers.RepeatedCompositeFieldContainer[BotFault]
    def __init__(self, faults: _Optional[_Iterable[_Union[BotFault, _Mapping]]] = ...) -> None: ...

class BotFault(_message.Message):
    __slots__ = ("match", "tournament", "finished", "seat", "decision", "kind", "reason", "instead")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    INSTEAD_FIELD_NUMBER: _ClassVar[int]
    match: str
    tournament: int
    finished: float
    seat: int
    decision: int
    kind: str
    reason: str
    instead: str
    def __init__(self, match: _Optional[str] = ..., tournament: _Optional[int] = ..., finished: _Optional[float] = ..., seat: _Optional[int] = ..., decision: _Optional[int] = ..., kind: _Optional[str] = ..., reason: _Optional[str] = ..., instead: _Optional[str] = ...) -> None: ...

class FirstFaults(_message.Message):
    __slots__ = ("faults",)
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    faults: _containers.RepeatedCompositeFieldContainer[FirstFault]
    def __init__(self, faults: _Optional[_Iterable[_Union[FirstFault, _Mapping]]] = ...) -> None: ...

class FirstFault(_message.Message):
    __slots__ = ("bot", "version", "faults", "forfeits", "match", "finished", "seat", "decision", "kind", "reason", "instead")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    INSTEAD_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    faults: int
    forfeits: int
    match: str
    finished: float
    seat: int
    decision: int
    kind: str
    reason: str
    instead: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., faults: _Optional[int] = ..., forfeits: _Optional[int] = ..., match: _Optional[str] = ..., finished: _Optional[float] = ..., seat: _Optional[int] = ..., decision: _Optional[int] = ..., kind: _Optional[str] = ..., reason: _Optional[str] = ..., instead: _Optional[str] = ...) -> None: ...

class ListGamesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Games(_message.Message):
    __slots__ = ("games",)
    GAMES_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[Game]
    def __init__(self, games: _Optional[_Iterable[_Union[Game, _Mapping]]] = ...) -> None: ...

class Game(_message.Message):
    __slots__ = ("name", "title", "ruleset", "min_seats", "max_seats", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    MIN_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEATS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    ruleset: str
    min_seats: int
    max_seats: int
    options: _containers.RepeatedCompositeFieldContainer[Option]
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., ruleset: _Optional[str] = ..., min_seats: _Optional[int] = ..., max_seats: _Optional[int] = ..., options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ...) -> None: ...

class Option(_message.Message):
    __slots__ = ("name", "default_value", "about")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    name: str
    default_value: str
    about: str
    def __init__(self, name: _Optional[str] = ..., default_value: _Optional[str] = ..., about: _Optional[str] = ...) -> None: ...

class GameName(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GameRules(_message.Message):
    __slots__ = ("name", "markdown")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MARKDOWN_FIELD_NUMBER: _ClassVar[int]
    name: str
    markdown: str
    def __init__(self, name: _Optional[str] = ..., markdown: _Optional[str] = ...) -> None: ...

class ListFormatsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Formats(_message.Message):
    __slots__ = ("formats",)
    FORMATS_FIELD_NUMBER: _ClassVar[int]
    formats: _containers.RepeatedCompositeFieldContainer[Format]
    def __init__(self, formats: _Optional[_Iterable[_Union[Format, _Mapping]]] = ...) -> None: ...

class Format(_message.Message):
    __slots__ = ("name", "title", "about", "options")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    about: str
    options: _containers.RepeatedCompositeFieldContainer[Option]
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., about: _Optional[str] = ..., options: _Optional[_Iterable[_Union[Option, _Mapping]]] = ...) -> None: ...
