from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InboxMessage(_message.Message):
    __slots__ = ("deliveries",)
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    def __init__(self, deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ...) -> None: ...

class Delivery(_message.Message):
    __slots__ = ("player", "reply_to", "started", "rounds", "faults", "ended", "tickets", "decisions", "time_ms", "game", "packed_tickets", "rows", "moves", "seats", "options", "group")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    REPLY_TO_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    TICKETS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    PACKED_TICKETS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    MOVES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    player: int
    reply_to: str
    started: _containers.RepeatedScalarFieldContainer[bytes]
    rounds: _containers.RepeatedScalarFieldContainer[bytes]
    faults: _containers.RepeatedScalarFieldContainer[bytes]
    ended: _containers.RepeatedScalarFieldContainer[bytes]
    tickets: _containers.RepeatedScalarFieldContainer[int]
    decisions: _containers.RepeatedScalarFieldContainer[bytes]
    time_ms: int
    game: str
    packed_tickets: _containers.RepeatedScalarFieldContainer[int]
    rows: bytes
    moves: bytes
    seats: int
    options: _containers.ScalarMap[str, str]
    group: int
    def __init__(self, player: _Optional[int] = ..., reply_to: _Optional[str] = ..., started: _Optional[_Iterable[bytes]] = ..., rounds: _Optional[_Iterable[bytes]] = ..., faults: _Optional[_Iterable[bytes]] = ..., ended: _Optional[_Iterable[bytes]] = ..., tickets: _Optional[_Iterable[int]] = ..., decisions: _Optional[_Iterable[bytes]] = ..., time_ms: _Optional[int] = ..., game: _Optional[str] = ..., packed_tickets: _Optional[_Iterable[int]] = ..., rows: _Optional[bytes] = ..., moves: _Optional[bytes] = ..., seats: _Optional[int] = ..., options: _Optional[_Mapping[str, str]] = ..., group: _Optional[int] = ...) -> None: ...

class Replies(_message.Message):
    __slots__ = ("tickets", "indices", "latencies_us", "others")
    TICKETS_FIELD_NUMBER: _ClassVar[int]
    INDICES_FIELD_NUMBER: _ClassVar[int]
    LATENCIES_US_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    tickets: _containers.RepeatedScalarFieldContainer[int]
    indices: _containers.RepeatedScalarFieldContainer[int]
    latencies_us: _containers.RepeatedScalarFieldContainer[int]
    others: _containers.RepeatedCompositeFieldContainer[Reply]
    def __init__(self, tickets: _Optional[_Iterable[int]] = ..., indices: _Optional[_Iterable[int]] = ..., latencies_us: _Optional[_Iterable[int]] = ..., others: _Optional[_Iterable[_Union[Reply, _Mapping]]] = ...) -> None: ...

class Reply(_message.Message):
    __slots__ = ("ticket", "outcome", "action", "error", "latency_us", "forfeits")
    class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ANSWER: _ClassVar[Reply.Outcome]
        TIMEOUT: _ClassVar[Reply.Outcome]
        DISCONNECT: _ClassVar[Reply.Outcome]
        ERROR: _ClassVar[Reply.Outcome]
        BOUNCED: _ClassVar[Reply.Outcome]
    ANSWER: Reply.Outcome
    TIMEOUT: Reply.Outcome
    DISCONNECT: Reply.Outcome
    ERROR: Reply.Outcome
    BOUNCED: Reply.Outcome
    TICKET_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LATENCY_US_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    ticket: int
    outcome: Reply.Outcome
    action: str
    error: str
    latency_us: int
    forfeits: bool
    def __init__(self, ticket: _Optional[int] = ..., outcome: _Optional[_Union[Reply.Outcome, str]] = ..., action: _Optional[str] = ..., error: _Optional[str] = ..., latency_us: _Optional[int] = ..., forfeits: _Optional[bool] = ...) -> None: ...

class RelayMessage(_message.Message):
    __slots__ = ("batch",)
    BATCH_FIELD_NUMBER: _ClassVar[int]
    batch: RelayBatch
    def __init__(self, batch: _Optional[_Union[RelayBatch, _Mapping]] = ...) -> None: ...

class RelayBatch(_message.Message):
    __slots__ = ("started", "rounds", "faults", "ended", "decisions", "packed")
    STARTED_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    started: _containers.RepeatedScalarFieldContainer[bytes]
    rounds: _containers.RepeatedScalarFieldContainer[bytes]
    faults: _containers.RepeatedScalarFieldContainer[bytes]
    ended: _containers.RepeatedScalarFieldContainer[bytes]
    decisions: _containers.RepeatedScalarFieldContainer[bytes]
    packed: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, started: _Optional[_Iterable[bytes]] = ..., rounds: _Optional[_Iterable[bytes]] = ..., faults: _Optional[_Iterable[bytes]] = ..., ended: _Optional[_Iterable[bytes]] = ..., decisions: _Optional[_Iterable[bytes]] = ..., packed: _Optional[_Iterable[bytes]] = ...) -> None: ...
