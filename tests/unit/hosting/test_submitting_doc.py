"""docs/submitting.md and docs/limits.md agree with the code about submissions."""

import re
from pathlib import Path

import pytest

from arena.base.config import Settings
from arena.hosting.hosted.fork_server import FILES_OF_A_PROCESS
from arena.hosting.hosted.judge import END_CPU_S
from arena.hosting.hosted.process import LONGEST_LINE
from arena.hosting.submission import files, lock, manifest
from arena.hosting.submission.pack import LEFT_OUT
from arena.kit.submissions import submit
from arena.service.host import builds, validation
from arena.store.registry.building import BUILDS_STORED
from arena.store.registry.submissions import AGAIN, BOTS_AT_THE_LIMIT, KEPT_DAYS, SubmissionLimits
from dashboard.bots.runs.view import DRAWN

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "submitting.md").read_text()
HOSTING = (DOCS / "hosting.md").read_text()
LIMITS = (DOCS / "limits.md").read_text().partition("## Uploads\n")[2].partition("\n## ")[0]
MANIFESTS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
SETTINGS = Settings(_env_file=None)
EVERY_DAY = SubmissionLimits(per_day=SETTINGS.submissions_per_day).of_an_account
STORED_MB = BUILDS_STORED * SETTINGS.host_tree_mb
UP, BUILT = files.UPLOADED, files.BUILT


def test_manifest_in_the_docs_is_valid() -> None:
    assert manifest.parse(MANIFESTS[0].encode()).language == "python"
    commands = re.findall(r"`(command = .+?)`", PAGE)
    for language, command in zip(("node", "binary"), commands, strict=True):
        manifest.parse(f'language = "{language}"\n{command}'.encode())
    shown = set(re.findall(r"^\[?(\w+)", MANIFESTS[0], re.MULTILINE)) - {"DEPTH"}
    assert shown == set(manifest.Manifest.__slots__) - {"command"}


def test_every_state_is_explained() -> None:
    section = PAGE.partition("## After the upload\n")[2].partition("\n## ")[0]
    told = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert set(told) == {*submit.STATES, "accepted"}
    assert set(submit.OVER) < set(told)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PAGE, ", ".join(f"`{each}`" for each in LEFT_OUT)),
        (PAGE, f"; default: {manifest.MEMORY_MB}\n"),
        (PAGE, f"`ARENA_HOST_START_S` ({SETTINGS.host_start_s:g}) seconds of CPU time until"),
        (PAGE, f"`ARENA_HOST_WAIT_S` ({SETTINGS.host_wait_s:g}) seconds of wall time"),
        (PAGE, f"after {END_CPU_S:g} seconds of CPU time"),
        (LIMITS, f"| `ARENA_HOST_WAIT_S`, {SETTINGS.host_wait_s:g} s, over all decisions"),
        (LIMITS, f"| `ARENA_HOST_START_S`, {SETTINGS.host_start_s:g} s; {END_CPU_S:g} s |"),
        (PAGE, f"{FILES_OF_A_PROCESS} open files"),
        (PAGE, f"`ARENA_HOST_OUTPUT_KB` ({SETTINGS.host_output_kb}) kilobytes"),
        (PAGE, f"A line has at most {LONGEST_LINE >> 10} kB"),
        (PAGE, f"`2{AGAIN}`"),
        (LIMITS, f"`ARENA_SUBMISSIONS_KEPT`, {SETTINGS.submissions_kept} |"),
        (LIMITS, f"`ARENA_SUBMISSION_MB`, {SETTINGS.submission_mb} MB |"),
        (LIMITS, f"`ARENA_SUBMISSIONS_PER_DAY`, {SETTINGS.submissions_per_day} |"),
        (LIMITS, f"| {BOTS_AT_THE_LIMIT} times `ARENA_SUBMISSIONS_PER_DAY`, {EVERY_DAY} |"),
        (LIMITS, f"`ARENA_HOST_BUILDS`, one per core, from {builds.LEAST} to {builds.MOST}; half"),
        (LIMITS, f"| {UP.files:,}, of {UP.file_bytes >> 20} MB each and {UP.total_bytes >> 20} MB"),
        (LIMITS, f"| {BUILT.files:,}, `ARENA_HOST_TREE_MB` ({SETTINGS.host_tree_mb}) megabytes"),
        (LIMITS, f"| {lock.LARGEST >> 10} kB, {lock.MOST_PACKAGES} packages, {lock.MOST_HASHES} "
                 "hashes of each |"),
        (LIMITS, f"| {BUILDS_STORED} times `ARENA_HOST_TREE_MB`, {STORED_MB:,} megabytes |"),
        (HOSTING, f"builds of {BUILDS_STORED} times `ARENA_HOST_TREE_MB` |"),
        (LIMITS, f"`ARENA_SUBMISSION_MEMORY_MB`, {SETTINGS.submission_memory_mb} MB |"),
        (LIMITS, f"| {KEPT_DAYS} days | removed"),
        (PAGE, f"{validation.MATCH_CPU_S:g} seconds of CPU time. You cannot"),
        (LIMITS, f"`ARENA_HOST_OUTPUT_KB`, {SETTINGS.host_output_kb} kB |"),
        (LIMITS, f"`ARENA_RUNS_KEPT`, {SETTINGS.runs_kept} of each"),
        (PAGE, f"curves of the last {DRAWN} runs"),
    ],
)  # fmt: skip
def test_a_number_is_the_codes(text: str, sentence: str) -> None:
    assert " ".join(sentence.split()) in " ".join(text.split())
