"""Reflection: clients that know nothing of the contract ask the gateway for it.

grpcio-reflection serves v1alpha. Newer clients ask for v1 first, whose messages are the same bytes
under another package's name (grpc/grpc-proto, grpc/reflection/v1/reflection.proto).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc
import grpc.aio
from grpc_reflection.v1alpha import reflection, reflection_pb2

V1ALPHA = reflection.SERVICE_NAME
V1 = V1ALPHA.replace("v1alpha", "v1")


def serve_reflection(server: grpc.aio.Server, services: Sequence[str]) -> None:
    """Has the server tell of these services, in both versions."""
    names = (*services, V1, V1ALPHA)
    reflection.enable_server_reflection(names, server)
    servicer: Any = reflection.aio.ReflectionServicer(names)
    method: Any = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    handler = grpc.method_handlers_generic_handler(V1, {"ServerReflectionInfo": method})
    server.add_generic_rpc_handlers((handler,))
