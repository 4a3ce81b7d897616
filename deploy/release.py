#!/usr/bin/env python3
"""Builds a release without publishing it. `make release` tests first, then runs this.

    python deploy/release.py [FOLDER]         (default: dist)

The folder then has the source distribution, the wheel built from it, and SHA256SUMS. They come from
the last commit alone, the same bytes each time. An empty environment has installed the wheel with
the packages of the lock file, and has played a demo with it.
"""

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRIAL = ("demo", "--matches", "1", "--seats", "2")


def main() -> int:
    """Makes the release of this checkout; the exit status."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve()
    version = version_of(ROOT)
    missing = list(problems(ROOT, version))
    if missing:
        print(f"{version} is not ready to be released:", *missing, sep="\n  ", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="lama-arena-release-") as scratch:
        moment = int(git(ROOT, "log", "-1", "--format=%ct"))
        print("Building the source distribution and, from it, the wheel", flush=True)
        made, again = (
            build(unpacked(ROOT, place), place / "made", moment)
            for place in (Path(scratch, "once"), Path(scratch, "again"))
        )
        if [digest(file) for file in made] != [digest(file) for file in again]:
            print("Two builds of one commit differ.", file=sys.stderr)
            return 1
        trial(Path(scratch, "trial"), made)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in made:
            shutil.copy(file, folder)
    sums = [f"{digest(folder / file.name)}  {file.name}" for file in made]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n")
    print(f"{version} is in {folder}:", *sums, sep="\n  ")
    print("Next steps:", *publishing(version, folder), sep="\n  ")
    return 0


def version_of(tree: Path) -> str:
    """The version that the sources say they are."""
    found = re.search(r'^__version__ = "(.+)"$', (tree / "arena/__init__.py").read_text(), re.M)
    assert found is not None
    return found.group(1)


def problems(tree: Path, version: str) -> Iterator[str]:
    """What has to be done before this version can be released, a sentence each."""
    if changed := git(tree, "status", "--porcelain"):
        yield f"Commit or remove uncommitted files, such as {changed.split()[1]}."
    if git(tree, "tag", "--list", f"v{version}"):
        yield f"The tag v{version} already exists. Raise __version__ in arena/__init__.py."
    heading = re.compile(rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", re.M)
    if not heading.search((tree / "CHANGELOG.md").read_text()):
        yield f'Give "Unreleased" in CHANGELOG.md the heading "## {version} - YYYY-MM-DD".'
    if not (tree / f"docs/releases/{version}.md").is_file():
        yield f"Write docs/releases/{version}.md: changes and upgrade instructions."
    if not keeps_todays_contract(tree):
        yield "Keep today's contract: python -m tests.unit.protocol.test_wire_compatibility"


def keeps_todays_contract(tree: Path) -> bool:
    """Whether tests/golden/contract.binpb is the contract of these sources."""
    code = (
        "from tests.unit.protocol.test_wire_compatibility import KEPT, today;"
        "print(KEPT.read_bytes() == today().SerializeToString(deterministic=True))"
    )
    return run(tree, sys.executable, "-c", code).split()[-1:] == ["True"]


def build(tree: Path, folder: Path, moment: int) -> list[Path]:
    """The source distribution of a tree, dated (Unix seconds), and the wheel built from it."""
    dated = {"SOURCE_DATE_EPOCH": str(moment)}
    source = normal(built(tree, "sdist", folder, dated), moment)
    with tarfile.open(source) as archive:
        extract(archive, folder / "unpacked")
    (inside,) = (folder / "unpacked").iterdir()
    return [source, built(inside, "wheel", folder, dated)]


def unpacked(tree: Path, scratch: Path) -> Path:
    """The last commit of a checkout as a folder, without anything else that lies there."""
    target = scratch / "tree"
    target.mkdir(parents=True)
    run(tree, "git", "archive", "--output", str(scratch / "tree.tar"), "HEAD")
    with tarfile.open(scratch / "tree.tar") as archive:
        extract(archive, target)
    return target


def extract(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpacks an archive that was packed here."""
    if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on; newer ones ask for a choice
        archive.extractall(folder, filter="data")
    else:
        archive.extractall(folder)  # noqa: S202 - it is ours


def built(tree: Path, kind: str, folder: Path, environment: dict[str, str]) -> Path:
    """A wheel or a source distribution, as pip builds it."""
    code = f"from setuptools import build_meta; print(build_meta.build_{kind}({str(folder)!r}))"
    said = run(tree, sys.executable, "-c", code, **environment)
    return folder / said.splitlines()[-1]


def normal(source: Path, moment: int) -> Path:
    """The archive again, with nothing in it of when and by whom it was built."""
    with tarfile.open(source) as archive:
        files = {each.name: (each, archive.extractfile(each)) for each in archive}
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as again:
            for name in sorted(files):
                member, content = files[name]
                member.mtime, member.uid, member.gid, member.pax_headers = moment, 0, 0, {}
                member.uname = member.gname = ""
                again.addfile(member, content)
    source.write_bytes(gzip.compress(plain.getvalue(), mtime=moment))
    return source


def trial(folder: Path, made: Sequence[Path]) -> None:
    """Installs the wheel with the packages of the lock file in an empty environment, and plays."""
    print("Trying it in an empty environment", flush=True)
    venv.create(folder, with_pip=True)
    pip = (str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--no-deps")
    run(folder, *pip, "--require-hashes", "-r", str(ROOT / "deploy/requirements.lock"))
    run(folder, *pip, *(str(file) for file in made if file.suffix == ".whl"))
    said = run(folder, str(folder / "bin/arena"), *TRIAL, "--data", str(folder / "data"))
    print(*said.splitlines()[-6:], sep="\n")


def publishing(version: str, folder: Path) -> list[str]:
    """The commands that publish it."""
    return [
        f"git tag --sign v{version} --message 'lama-arena {version}' && git push --tags",
        f"twine upload {folder}/*.tar.gz {folder}/*.whl",
        f"docker build -f deploy/Dockerfile -t REGISTRY/lama-arena:{version} . && docker push"
        f" REGISTRY/lama-arena:{version}",
    ]


def git(tree: Path, *words: str) -> str:
    """What git says, without the last line's end."""
    return run(tree, "git", *words).strip()


def run(where: Path, *words: str, **environment: str) -> str:
    """What a program prints; if it fails, its words are printed and this process ends."""
    done = subprocess.run(  # noqa: S603 - only what is written here
        words, cwd=where, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{' '.join(words)} failed.")
    return done.stdout


def digest(file: Path) -> str:
    """SHA-256 of a file, in hex."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
