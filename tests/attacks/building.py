"""Uploads that are made to harm the builder: the outcome of each in a sandbox of one kind,
as one user.

`python -m tests.attacks.building KIND` prints that as JSON: by name, what the author reads.
"""

import asyncio
import importlib.util
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building import build as of_one_upload
from arena.hosting.hosted.building.build import Build, BuildLimits
from arena.hosting.hosted.building.wheels import fitting
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.hosted.sandboxed import SandboxedBot
from arena.hosting.sandbox.sandbox import Sandbox
from arena.hosting.submission.files import MB, built
from arena.service.host.artifacts import ArtifactCache
from tests.attacks.__main__ import sandbox_of
from tests.made_uploads import BOT, upload, wheel
from tests.package_index import PackageIndex, leads_to, package_index, says

AT_ONCE = 4
NAME = "wheels/deep-1.0-py3-none-any.whl"
FETCHED = "far-1.0-py3-none-any.whl"
PLAYS = """
import deep, far, native._speedups
""" + BOT.replace('("lama",)', "(deep.GAME, far.GAME)")

Files = Mapping[str, str | bytes]

ATTACKS: Mapping[str, Files] = {
    "a bomb of memory for the compiler": {"a.py": "x = [" + "1.5, " * 800_000 + "]\n"},
    "nesting for the compiler": {"a.py": "-" * 200_000 + "1\n"},
    "a bomb in a wheel": {
        NAME: wheel("deep", {f"deep/{number}": bytes(8 * MB) for number in range(3)})
    },
    "names above the folder": {NAME: wheel("deep", {"../../../mybot.py": ""})},
}


def native() -> Files:
    """Return a wheel with an extension module, by name."""
    spec = importlib.util.find_spec("markupsafe._speedups")
    assert spec is not None
    assert spec.origin is not None
    library = Path(spec.origin)
    tag = fitting()[0]
    inside: dict[str, str | bytes] = {
        "native/__init__.py": "",
        f"native/{library.name}": library.read_bytes(),
    }
    return {f"wheels/native-1.0-{tag}.whl": wheel("native", inside, tag)}


async def outcomes(sandbox: Sandbox, folder: Path, index: PackageIndex) -> dict[str, str]:
    """Return the message that the author of each upload gets."""
    free = asyncio.Semaphore(AT_ONCE)
    allowed = BuildLimits(built(16), index.url)

    async def one(source: bytes) -> tuple[bytes, str]:
        async with free:
            build = Build(sandbox, allowed)
            try:
                return await build.finish(await build.unpack(source))
            except InvalidRequest as error:
                return b"", f"refused: {error}"

    async def played() -> str:
        files = {NAME: wheel("deep", {"deep.py": "GAME = 'dice'\n"}), **native()}
        lock = index.add("far", {FETCHED: wheel("far", {"far.py": "GAME = 'kadabra'\n"})})
        stream, log = await one(upload(PLAYS, {**files, "requirements.lock": lock}))
        return f"{log}plays {await _games(sandbox, stream, folder)}" if stream else log

    async def lured(name: str) -> str:
        lock = f"{name}==1.0 --hash=sha256:{'a' * 64}\n"
        return (await one(upload(files={"requirements.lock": lock})))[1]

    async def attacked(files: Files) -> str:
        return (await one(upload(files=files)))[1]

    names = [*ATTACKS, "lured elsewhere", "lured into this machine", "what is no attack"]
    said = await asyncio.gather(
        *(attacked(files) for files in ATTACKS.values()),
        lured("elsewhere"),
        lured("inside"),
        played(),
    )
    return dict(zip(names, said, strict=True))


async def _games(sandbox: Sandbox, stream: bytes, folder: Path) -> str:
    """Return the games that the built bot announces."""
    place = ArtifactCache(folder / "hosted").place(stream)
    bot = SandboxedBot(sandbox, Program(place, entry="mybot.py", key=bytes(32)), Allowance())
    try:
        await bot.prepare()
        return ", ".join(bot.hello.games)
    finally:
        bot.close()


def main() -> None:
    """Print the outcomes."""
    of_one_upload.COMPILING_MB = 192  # so that it ends soon
    with package_index() as index, package_index() as other:
        index.answers["/simple/elsewhere/"] = leads_to(f"{other.url}/elsewhere/")
        link = f'<a href="http://127.0.0.1:{other.port}/inside-1.0-py3-none-any.whl">x</a>'
        index.answers["/simple/inside/"] = says(link.encode())
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            found = asyncio.run(outcomes(sandbox_of(sys.argv[1]), Path(folder), index))
        found["asked"] = ", ".join(other.asked)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
