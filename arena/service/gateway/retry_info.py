"""When to come again, as gRPC clients expect it: in the trailing metadata of a refused call.

`grpc-retry-pushback-ms` is what clients with a retry policy heed (gRFC A6);
`grpc-status-details-bin` is google.rpc.Status with a google.rpc.RetryInfo.
"""

from __future__ import annotations

from math import ceil

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage

from arena.protocol.internal.status_pb2 import RetryInfo, RichStatus

RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"


def retry_metadata(
    code: grpc.StatusCode, sentence: str, wait_s: float
) -> tuple[tuple[str, str | bytes], ...]:
    """The trailing metadata of a call that may be repeated in `wait_s` seconds."""
    wait_ms = ceil(1000 * wait_s)
    info = RetryInfo()
    info.retry_delay.FromMilliseconds(wait_ms)
    detail = AnyMessage(type_url=RETRY_INFO, value=info.SerializeToString())
    number: int = code.value[0]
    status = RichStatus(code=number, message=sentence, details=[detail])
    return (
        ("grpc-retry-pushback-ms", str(wait_ms)),
        ("grpc-status-details-bin", status.SerializeToString()),
    )
