"""Synthetic uploads of hosted bots: zip files and wheels."""

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping
from types import MappingProxyType

BOT = """
from arena.sdk import Bot

class Mine(Bot):
    games = ("lama",)

    def choose(self, view):
        return view.actions[0]
"""
MANIFEST = 'entry = "mybot.py"\n'
ANY = "py3-none-any"


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """A zip of these files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def upload(source: str = BOT, files: Mapping[str, str | bytes] = MappingProxyType({})) -> bytes:
    """A zip of a Python bot with other files."""
    return zipped({"bot.toml": MANIFEST, "mybot.py": source, **files})


def wheel(name: str, files: Mapping[str, str | bytes], tag: str = ANY, **more: str) -> bytes:
    """A wheel of a package with version 1.0; `more` are files of its dist-info, by name."""
    folder = f"{name}-1.0.dist-info"
    metadata = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: {tag}\n",
        **more,
    }
    all_files = {**files, **{f"{folder}/{key}": text for key, text in metadata.items()}}
    record = "".join(f"{each},{_hash(content)}\n" for each, content in all_files.items())
    return zipped({**all_files, f"{folder}/RECORD": f"{record}{folder}/RECORD,,\n"})


def _hash(content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest},{len(data)}"
