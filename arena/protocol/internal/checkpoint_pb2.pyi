from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Checkpoint(_message.Message):
    __slots__ = ("reply_to", "matches")
    REPLY_TO_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    reply_to: str
    matches: _containers.RepeatedCompositeFieldContainer[SuspendedMatch]
    def __init__(self, reply_to: _Optional[str] = ..., matches: _Optional[_Iterable[_Union[SuspendedMatch, _Mapping]]] = ...) -> None: ...

class SuspendedMatch(_message.Message):
    __slots__ = ("position", "ruleset", "ticket", "asked", "started", "log", "reasons")
    class ReasonsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: str
        def __init__(self, key: _Optional[int] = ..., value: _Optional[str] = ...) -> None: ...
    POSITION_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    TICKET_FIELD_NUMBER: _ClassVar[int]
    ASKED_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    position: int
    ruleset: str
    ticket: int
    asked: float
    started: float
    log: bytes
    reasons: _containers.ScalarMap[int, str]
    def __init__(self, position: _Optional[int] = ..., ruleset: _Optional[str] = ..., ticket: _Optional[int] = ..., asked: _Optional[float] = ..., started: _Optional[float] = ..., log: _Optional[bytes] = ..., reasons: _Optional[_Mapping[int, str]] = ...) -> None: ...
