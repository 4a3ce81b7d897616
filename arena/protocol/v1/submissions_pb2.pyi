from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SubmitPart(_message.Message):
    __slots__ = ("bot", "label", "content")
    BOT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    label: str
    content: bytes
    def __init__(self, bot: _Optional[str] = ..., label: _Optional[str] = ..., content: _Optional[bytes] = ...) -> None: ...

class SourcePart(_message.Message):
    __slots__ = ("content",)
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    def __init__(self, content: _Optional[bytes] = ...) -> None: ...

class SubmissionId(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class ListSubmissionsRequest(_message.Message):
    __slots__ = ("bot", "limit", "before")
    BOT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    bot: str
    limit: int
    before: int
    def __init__(self, bot: _Optional[str] = ..., limit: _Optional[int] = ..., before: _Optional[int] = ...) -> None: ...

class SubmissionList(_message.Message):
    __slots__ = ("submissions", "next")
    SUBMISSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    submissions: _containers.RepeatedCompositeFieldContainer[Submission]
    next: int
    def __init__(self, submissions: _Optional[_Iterable[_Union[Submission, _Mapping]]] = ..., next: _Optional[int] = ...) -> None: ...

class Submission(_message.Message):
    __slots__ = ("id", "bot", "state", "version", "label", "created", "size", "sha256", "reason", "log", "attempts", "files_of")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    FILES_OF_FIELD_NUMBER: _ClassVar[int]
    id: int
    bot: str
    state: str
    version: str
    label: str
    created: float
    size: int
    sha256: str
    reason: str
    log: str
    attempts: int
    files_of: int
    def __init__(self, id: _Optional[int] = ..., bot: _Optional[str] = ..., state: _Optional[str] = ..., version: _Optional[str] = ..., label: _Optional[str] = ..., created: _Optional[float] = ..., size: _Optional[int] = ..., sha256: _Optional[str] = ..., reason: _Optional[str] = ..., log: _Optional[str] = ..., attempts: _Optional[int] = ..., files_of: _Optional[int] = ...) -> None: ...

class ListRunsRequest(_message.Message):
    __slots__ = ("bot", "limit", "before", "ended")
    BOT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    bot: str
    limit: int
    before: int
    ended: bool
    def __init__(self, bot: _Optional[str] = ..., limit: _Optional[int] = ..., before: _Optional[int] = ..., ended: _Optional[bool] = ...) -> None: ...

class RunList(_message.Message):
    __slots__ = ("runs", "next")
    RUNS_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[Run]
    next: int
    def __init__(self, runs: _Optional[_Iterable[_Union[Run, _Mapping]]] = ..., next: _Optional[int] = ...) -> None: ...

class RunId(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ("id", "bot", "version", "match", "began", "cpu_s", "memory_kb", "ending", "ended", "size", "written", "wall_s")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    BEGAN_FIELD_NUMBER: _ClassVar[int]
    CPU_S_FIELD_NUMBER: _ClassVar[int]
    MEMORY_KB_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    WALL_S_FIELD_NUMBER: _ClassVar[int]
    id: int
    bot: str
    version: str
    match: str
    began: float
    cpu_s: float
    memory_kb: int
    ending: str
    ended: bool
    size: int
    written: _containers.RepeatedCompositeFieldContainer[Written]
    wall_s: float
    def __init__(self, id: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ..., match: _Optional[str] = ..., began: _Optional[float] = ..., cpu_s: _Optional[float] = ..., memory_kb: _Optional[int] = ..., ending: _Optional[str] = ..., ended: _Optional[bool] = ..., size: _Optional[int] = ..., written: _Optional[_Iterable[_Union[Written, _Mapping]]] = ..., wall_s: _Optional[float] = ...) -> None: ...

class Written(_message.Message):
    __slots__ = ("when", "text", "match", "decision", "others")
    WHEN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    when: str
    text: str
    match: str
    decision: int
    others: int
    def __init__(self, when: _Optional[str] = ..., text: _Optional[str] = ..., match: _Optional[str] = ..., decision: _Optional[int] = ..., others: _Optional[int] = ...) -> None: ...
