from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BotMessage(_message.Message):
    __slots__ = ("hello", "choices")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    choices: Choices
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., choices: _Optional[_Union[Choices, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("games", "min_seats", "max_seats", "max_in_flight", "sdk", "protocol", "notices", "packed", "version", "max_matches")
    GAMES_FIELD_NUMBER: _ClassVar[int]
    MIN_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    SDK_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MAX_MATCHES_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedScalarFieldContainer[str]
    min_seats: int
    max_seats: int
    max_in_flight: int
    sdk: str
    protocol: int
    notices: bool
    packed: int
    version: str
    max_matches: int
    def __init__(self, games: _Optional[_Iterable[str]] = ..., min_seats: _Optional[int] = ..., max_seats: _Optional[int] = ..., max_in_flight: _Optional[int] = ..., sdk: _Optional[str] = ..., protocol: _Optional[int] = ..., notices: _Optional[bool] = ..., packed: _Optional[int] = ..., version: _Optional[str] = ..., max_matches: _Optional[int] = ...) -> None: ...

class Choices(_message.Message):
    __slots__ = ("choices", "tickets", "indices", "cpu_us")
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    TICKETS_FIELD_NUMBER: _ClassVar[int]
    INDICES_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    choices: _containers.RepeatedCompositeFieldContainer[Choice]
    tickets: _containers.RepeatedScalarFieldContainer[int]
    indices: _containers.RepeatedScalarFieldContainer[int]
    cpu_us: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, choices: _Optional[_Iterable[_Union[Choice, _Mapping]]] = ..., tickets: _Optional[_Iterable[int]] = ..., indices: _Optional[_Iterable[int]] = ..., cpu_us: _Optional[_Iterable[int]] = ...) -> None: ...

class Choice(_message.Message):
    __slots__ = ("ticket", "index", "action", "error", "timeout", "cpu_us", "forfeits")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    ticket: int
    index: int
    action: str
    error: str
    timeout: str
    cpu_us: int
    forfeits: bool
    def __init__(self, ticket: _Optional[int] = ..., index: _Optional[int] = ..., action: _Optional[str] = ..., error: _Optional[str] = ..., timeout: _Optional[str] = ..., cpu_us: _Optional[int] = ..., forfeits: _Optional[bool] = ...) -> None: ...

class ArenaMessage(_message.Message):
    __slots__ = ("welcome", "batch", "problem", "drain", "closed")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    DRAIN_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    batch: Batch
    problem: Problem
    drain: Drain
    closed: Closed
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., batch: _Optional[_Union[Batch, _Mapping]] = ..., problem: _Optional[_Union[Problem, _Mapping]] = ..., drain: _Optional[_Union[Drain, _Mapping]] = ..., closed: _Optional[_Union[Closed, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("bot", "version", "session", "max_in_flight", "grace_ms")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    session: str
    max_in_flight: int
    grace_ms: int
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., session: _Optional[str] = ..., max_in_flight: _Optional[int] = ..., grace_ms: _Optional[int] = ...) -> None: ...

class Batch(_message.Message):
    __slots__ = ("started", "rounds", "faults", "ended", "decisions", "packed")
    STARTED_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    started: _containers.RepeatedCompositeFieldContainer[MatchStarted]
    rounds: _containers.RepeatedCompositeFieldContainer[RoundEnded]
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    ended: _containers.RepeatedCompositeFieldContainer[MatchEnded]
    decisions: _containers.RepeatedCompositeFieldContainer[Decision]
    packed: _containers.RepeatedCompositeFieldContainer[PackedDecisions]
    def __init__(self, started: _Optional[_Iterable[_Union[MatchStarted, _Mapping]]] = ..., rounds: _Optional[_Iterable[_Union[RoundEnded, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., ended: _Optional[_Iterable[_Union[MatchEnded, _Mapping]]] = ..., decisions: _Optional[_Iterable[_Union[Decision, _Mapping]]] = ..., packed: _Optional[_Iterable[_Union[PackedDecisions, _Mapping]]] = ...) -> None: ...

class PackedDecisions(_message.Message):
    __slots__ = ("game", "seats", "options", "time_ms", "tickets", "rows", "moves", "group")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    TICKETS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    game: str
    seats: int
    options: _containers.ScalarMap[str, str]
    time_ms: int
    tickets: _containers.RepeatedScalarFieldContainer[int]
    rows: bytes
    moves: bytes
    group: int
    def __init__(self, game: _Optional[str] = ..., seats: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., time_ms: _Optional[int] = ..., tickets: _Optional[_Iterable[int]] = ..., rows: _Optional[bytes] = ..., moves: _Optional[bytes] = ..., group: _Optional[int] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("ticket", "time_ms", "view", "group")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    ticket: int
    time_ms: int
    view: View
    group: int
    def __init__(self, ticket: _Optional[int] = ..., time_ms: _Optional[int] = ..., view: _Optional[_Union[View, _Mapping]] = ..., group: _Optional[int] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("match", "number", "game", "options", "round", "ask", "seat", "starter", "hand", "penalty", "hand_sizes", "active", "points", "start", "top", "pile", "moves", "actions", "indices", "whites", "blacks", "rows", "llama_row", "dice", "stage", "magic")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    MATCH_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    ASK_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STARTER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    PENALTY_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    PILE_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    INDICES_FIELD_NUMBER: _ClassVar[int]
    WHITES_FIELD_NUMBER: _ClassVar[int]
    BLACKS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    LLAMA_ROW_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    MAGIC_FIELD_NUMBER: _ClassVar[int]
    match: str
    number: int
    game: str
    options: _containers.ScalarMap[str, str]
    round: int
    ask: str
    seat: int
    starter: int
    hand: _containers.RepeatedScalarFieldContainer[str]
    penalty: int
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    active: _containers.RepeatedScalarFieldContainer[bool]
    points: _containers.RepeatedScalarFieldContainer[int]
    start: str
    top: str
    pile: int
    moves: str
    actions: _containers.RepeatedScalarFieldContainer[str]
    indices: _containers.RepeatedScalarFieldContainer[int]
    whites: _containers.RepeatedScalarFieldContainer[int]
    blacks: _containers.RepeatedScalarFieldContainer[int]
    rows: _containers.RepeatedCompositeFieldContainer[Cards]
    llama_row: _containers.RepeatedScalarFieldContainer[str]
    dice: _containers.RepeatedScalarFieldContainer[str]
    stage: _containers.RepeatedScalarFieldContainer[int]
    magic: str
    def __init__(self, match: _Optional[str] = ..., number: _Optional[int] = ..., game: _Optional[str] = ..., options: _Optional[_Mapping[str, str]] = ..., round: _Optional[int] = ..., ask: _Optional[str] = ..., seat: _Optional[int] = ..., starter: _Optional[int] = ..., hand: _Optional[_Iterable[str]] = ..., penalty: _Optional[int] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., active: _Optional[_Iterable[bool]] = ..., points: _Optional[_Iterable[int]] = ..., start: _Optional[str] = ..., top: _Optional[str] = ..., pile: _Optional[int] = ..., moves: _Optional[str] = ..., actions: _Optional[_Iterable[str]] = ..., indices: _Optional[_Iterable[int]] = ..., whites: _Optional[_Iterable[int]] = ..., blacks: _Optional[_Iterable[int]] = ..., rows: _Optional[_Iterable[_Union[Cards, _Mapping]]] = ..., llama_row: _Optional[_Iterable[str]] = ..., dice: _Optional[_Iterable[str]] = ..., stage: _Optional[_Iterable[int]] = ..., magic: _Optional[str] = ...) -> None: ...

class MatchStarted(_message.Message):
    __slots__ = ("match", "game", "ruleset", "options", "seat", "bots", "commitment", "group")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    MATCH_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    match: str
    game: str
    ruleset: str
    options: _containers.ScalarMap[str, str]
    seat: int
    bots: _containers.RepeatedScalarFieldContainer[str]
    commitment: bytes
    group: int
    def __init__(self, match: _Optional[str] = ..., game: _Optional[str] = ..., ruleset: _Optional[str] = ..., options: _Optional[_Mapping[str, str]] = ..., seat: _Optional[int] = ..., bots: _Optional[_Iterable[str]] = ..., commitment: _Optional[bytes] = ..., group: _Optional[int] = ...) -> None: ...

class RoundEnded(_message.Message):
    __slots__ = ("match", "round", "hands", "penalties", "points")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    PENALTIES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    match: str
    round: int
    hands: _containers.RepeatedCompositeFieldContainer[Cards]
    penalties: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match: _Optional[str] = ..., round: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[Cards, _Mapping]]] = ..., penalties: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ...) -> None: ...

class Cards(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("match", "number", "kind", "reason", "instead", "forfeited")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    INSTEAD_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    match: str
    number: int
    kind: str
    reason: str
    instead: str
    forfeited: bool
    def __init__(self, match: _Optional[str] = ..., number: _Optional[int] = ..., kind: _Optional[str] = ..., reason: _Optional[str] = ..., instead: _Optional[str] = ..., forfeited: _Optional[bool] = ...) -> None: ...

class MatchEnded(_message.Message):
    __slots__ = ("match", "points", "ranks")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    match: str
    points: _containers.RepeatedScalarFieldContainer[int]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, match: _Optional[str] = ..., points: _Optional[_Iterable[int]] = ..., ranks: _Optional[_Iterable[int]] = ...) -> None: ...

class Problem(_message.Message):
    __slots__ = ("code", "message", "ticket")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TICKET_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    ticket: int
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., ticket: _Optional[int] = ...) -> None: ...

class Drain(_message.Message):
    __slots__ = ("reason", "within_ms")
    REASON_FIELD_NUMBER: _ClassVar[int]
    WITHIN_MS_FIELD_NUMBER: _ClassVar[int]
    reason: str
    within_ms: int
    def __init__(self, reason: _Optional[str] = ..., within_ms: _Optional[int] = ...) -> None: ...

class Closed(_message.Message):
    __slots__ = ("reason", "reconnect")
    REASON_FIELD_NUMBER: _ClassVar[int]
    RECONNECT_FIELD_NUMBER: _ClassVar[int]
    reason: str
    reconnect: bool
    def __init__(self, reason: _Optional[str] = ..., reconnect: _Optional[bool] = ...) -> None: ...

class MatchNotes(_message.Message):
    __slots__ = ("match", "seat", "notes")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    match: str
    seat: int
    notes: _containers.RepeatedCompositeFieldContainer[Note]
    def __init__(self, match: _Optional[str] = ..., seat: _Optional[int] = ..., notes: _Optional[_Iterable[_Union[Note, _Mapping]]] = ...) -> None: ...

class Note(_message.Message):
    __slots__ = ("number", "text")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    number: int
    text: str
    def __init__(self, number: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class NotesStored(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
