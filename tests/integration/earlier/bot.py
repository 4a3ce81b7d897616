"""A bot that is built on the contract as it was before decisions could be packed.

python bot.py FOLDER HOST:PORT TOKEN       (FOLDER has the stubs of the play.proto beside this file)
"""

from __future__ import annotations

import importlib
import queue
import sys
from typing import Any

import grpc

sys.path.insert(0, sys.argv[1])
pb: Any = importlib.import_module("play_pb2")

said: queue.Queue[object] = queue.Queue()
said.put(pb.BotMessage(hello=pb.Hello(games=["lama"], protocol=1, max_in_flight=64)))
with grpc.insecure_channel(sys.argv[2]) as channel:
    connect = channel.stream_stream(
        "/arena.v1.Play/Connect", pb.BotMessage.SerializeToString, pb.ArenaMessage.FromString
    )
    for message in connect(
        iter(said.get, None), metadata=(("authorization", f"Bearer {sys.argv[3]}"),)
    ):
        choices = [
            pb.Choice(ticket=one.ticket, index=one.view.indices[0])
            for one in message.batch.decisions
        ]
        if choices:
            said.put(pb.BotMessage(choices=pb.Choices(choices=choices)))
