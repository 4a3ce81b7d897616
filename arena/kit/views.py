"""`arena views GAME`: sample decisions with legal answers, for tests in any language."""

import argparse
import base64
import io
import random
import sys
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.proto import serialize_length_prefixed

from arena.base.errors import InvalidRequest
from arena.games.match import Match, MatchSetup, Seat
from arena.games.rules import GAMES, View
from arena.kit.output import json_text
from arena.protocol.decisions import encode_decision
from arena.protocol.v1 import play_pb2 as pb

COUNT, MOST = 200, 100_000
TIME_MS = 5000
SEED = 0
SEATS = range(2, 7)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Print sample decisions with their legal answers.\n\n"
        "They come from matches with 2 to 6 seats, as one JSON object per line or as binary\n"
        "messages. The same arguments give the same decisions."
    )
    parser.epilog = "Example:\n  arena views kadabra --count 50 > kadabra.jsonl"
    parser.add_argument("game", choices=tuple(GAMES), help="game")
    parser.add_argument(
        "--count", type=int, default=COUNT, help=f"number of decisions (default: {COUNT})"
    )
    parser.add_argument(
        "--seed", type=int, default=SEED, help=f"seed of the matches (default: {SEED})"
    )
    parser.add_argument(
        "--binary",
        action="store_true",
        help="arena.v1.Decision messages, each prefixed with its length as a varint",
    )


def run(args: argparse.Namespace) -> int:
    """Print the decisions. Raises InvalidRequest."""
    if not 1 <= args.count <= MOST:
        raise InvalidRequest(f"--count is {args.count}; it must be from 1 to {MOST}.")
    found = decisions(args.game, args.count, args.seed)
    if args.binary:
        sys.stdout.buffer.write(delimited(found))
        sys.stdout.buffer.flush()
    else:
        print("\n".join(map(as_json, found)))
    return 0


def decisions(game: str, count: int, seed: int = SEED) -> Iterator[pb.Decision]:
    """Yield `count` decisions, from matches with 2 to 6 seats, alternately."""
    rng = random.Random(f"{game} {seed}")
    given = 0
    while True:
        for seats in SEATS:
            bots = tuple(Seat(f"bot{seat}") for seat in range(seats))
            match = Match(MatchSetup(f"views{given}", game, rng.randbytes(16), bots))
            while (view := match.decision) is not None:
                # One turn in five, but every rarer kind: so all kinds occur, from many matches.
                if view.ask != "turn" or rng.random() < 0.2:
                    yield pb.Decision.FromString(encode_decision(view, given + 1, TIME_MS))
                    given += 1
                    if given == count:
                        return
                match.answer(_move(view, rng))


def _move(view: View, rng: random.Random) -> str:
    """Return a random move, rarely "quit" or "draw", so that hands are emptied."""
    others = [action for action in view.actions if action not in ("quit", "draw")]
    return rng.choice(others if others and rng.random() < 0.8 else view.actions)


def as_json(decision: pb.Decision) -> str:
    """Return a decision as JSON: the view with the field names of play.proto, the legal answers,
    and the message in Base64."""
    view: dict[str, Any] = MessageToDict(
        decision.view, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    legal = {"actions": view["actions"], "indices": view["indices"]}
    message = base64.b64encode(decision.SerializeToString(deterministic=True)).decode()
    return json_text({"view": view, "legal": legal, "message": message})


def delimited(found: Iterator[pb.Decision]) -> bytes:
    """Return the concatenated messages, each prefixed with its length as a varint."""
    made = io.BytesIO()
    for decision in found:
        serialize_length_prefixed(decision, made)
    return made.getvalue()
