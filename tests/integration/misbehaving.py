"""A bot that breaks the contract in one way: python misbehaving.py HOW (or "not at all").

It speaks gRPC by itself, since the SDK would not let it.
"""

import os
import queue
import sys
import time

import grpc

from arena.protocol.v1 import play_pb2 as pb

HOW = sys.argv[1]
hello = pb.Hello(games=["lama"], protocol=1, max_in_flight=16)
if HOW == "another protocol":
    hello.protocol = 2
if HOW == "a game that is none":
    hello.games.append("chess")
if HOW == "more than is allowed":
    hello.max_in_flight = 5000


def answers(decision: pb.Decision) -> list[pb.Choice]:
    """What it says to a decision."""
    choice = pb.Choice(ticket=decision.ticket, index=decision.view.indices[0])
    if HOW == "an illegal action":
        choice.action = "play 9"
    if HOW == "an illegal index":
        choice.index = 99
    if HOW == "its own error":
        choice.error = "no idea"
    if HOW == "its own timeout":
        choice.timeout = "2 s gone"
    if HOW == "no answer in a choice":
        choice.ClearField("index")
    if HOW == "too slow":
        time.sleep(1.5)
    if HOW == "another ticket":
        choice.ticket += 1
    return [choice, choice] if HOW == "twice" else [choice]


def session(channel: grpc.Channel) -> bool:
    """Plays; whether it is to come back."""
    said: queue.Queue[pb.BotMessage | None] = queue.Queue()
    said.put(pb.BotMessage(hello=hello))
    if HOW == "Hello twice":
        said.put(pb.BotMessage(hello=hello))
    token = "" if HOW == "no token" else os.environ["ARENA_TOKEN"]
    connect = channel.stream_stream(
        "/arena.v1.Play/Connect", pb.BotMessage.SerializeToString, pb.ArenaMessage.FromString
    )
    back = True
    for message in connect(iter(said.get, None), metadata=(("authorization", f"Bearer {token}"),)):
        if message.HasField("problem") and HOW == "it ends at a problem":
            sys.exit("A problem!")
        if message.HasField("closed"):
            back = message.closed.reconnect or HOW == "it comes back for ever"
        choices = [each for one in message.batch.decisions for each in answers(one)]
        if choices:
            said.put(pb.BotMessage(choices=pb.Choices(choices=choices)))
    return back


while True:
    with grpc.insecure_channel(os.environ["ARENA_URL"]) as channel:
        try:
            if not session(channel):
                sys.exit("closed for good")
        except grpc.RpcError as error:
            fatal = error.code() == grpc.StatusCode.UNAUTHENTICATED and HOW != "for ever"
            if fatal or HOW == "it does not come back":
                sys.exit(error.details() if HOW != "without a word" else 1)
    time.sleep(0.2)
