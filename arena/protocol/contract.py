"""The proto files of the public protocol, for bots in other languages."""

from pathlib import Path

FOLDER = Path(__file__).with_name("definitions")  # in a checkout, a link to proto/arena/v1
NAMES = ("play.proto", "control.proto", "submissions.proto")


def contract(name: str) -> str:
    """Returns the text of one of NAMES."""
    return (FOLDER / name).read_text()
