"""Wheels that an author brings along: installed by the build, and played."""

import importlib.util
import io
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building.build import BuildLimits
from arena.hosting.hosted.building.wheels import fitting
from arena.hosting.hosted.inside import wheel_installer
from arena.hosting.sandbox.kinds import find_sandbox
from arena.hosting.sandbox.sandbox import Sandbox
from arena.hosting.submission.files import MB, File, FileLimits, built
from arena.hosting.submission.packages import wheels_of
from tests.integration.hosting.test_build import build, games_of
from tests.made_uploads import BOT, upload, wheel, zipped

THEIRS = "import deep.inner\n" + BOT.replace('("lama",)', "deep.inner.GAMES")
DEEP = {"deep/__init__.py": "", "deep/inner.py": "GAMES = ('dice',)\n"}
NAME = "wheels/deep-1.0-py3-none-any.whl"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return find_sandbox()


def test_a_wheel_is_installed_and_compiled_and_the_bot_imports_it(
    sandbox: Sandbox, open_folder: Path
) -> None:
    files, log = build(sandbox, upload(THEIRS, {NAME: wheel("deep", DEEP)}))

    assert "Installed: deep 1.0.\n" in log
    assert "Compiled: 3 of 3 Python files.\n" in log
    assert "site-packages/deep/inner.py" in files
    assert f"site-packages/deep/__pycache__/inner.{sys.implementation.cache_tag}.pyc" in files
    assert NAME not in files, "it is in the source"
    assert games_of(sandbox, files, open_folder) == ["dice"]


def test_extension_modules_load_in_the_sandbox(sandbox: Sandbox, open_folder: Path) -> None:
    spec = importlib.util.find_spec("markupsafe._speedups")
    assert spec is not None
    assert spec.origin is not None
    library = Path(spec.origin)
    source = "import native._speedups\n" + BOT.replace("lama", "dice")
    native: dict[str, str | bytes] = {
        "native/__init__.py": "",
        f"native/{library.name}": library.read_bytes(),
    }
    tag = fitting()[0]
    made = wheel("native", native, tag, WHEEL="Wheel-Version: 1.0\nRoot-Is-Purelib: false\n")

    files, _ = build(sandbox, upload(source, {f"wheels/native-1.0-{tag}.whl": made}))

    assert games_of(sandbox, files, open_folder) == ["dice"]


def test_nothing_of_a_wheel_is_run_before_the_bots_process_imports_it(
    sandbox: Sandbox, open_folder: Path
) -> None:
    # In the fork server, which may do more than a bot, none of its modules may be found: not even
    # one that is called like a module of Python's which is imported late.
    harmful = "raise RuntimeError('run too early')\n"
    made = wheel(
        "deep",
        {
            **DEEP,
            "deep.pth": "import sys; sys.exit(7)\n",
            "sitecustomize.py": harmful,
            "asyncio/__init__.py": harmful,
            "_pytest_plugin.pyc": b"byte code",
            "deep-1.0.data/scripts/python3": "#!/bin/sh\n",
            "deep-1.0.data/purelib/beside.py": "",
        },
        **{"entry_points.txt": "[console_scripts]\npython = deep:main\n"},
    )
    files, log = build(sandbox, upload(THEIRS, {NAME: made}))

    assert games_of(sandbox, files, open_folder) == ["dice"]
    assert "Left out: deep.pth, which Python would run at each start.\n" in log
    installed = {name for name in files if "dist-info" not in name and "__pycache__" not in name}
    inside = {"deep/__init__.py", "deep/inner.py", "beside.py", "sitecustomize.py"}
    inside.add("asyncio/__init__.py")
    assert installed == {"bot.toml", "mybot.py", *(f"site-packages/{each}" for each in inside)}


def test_a_module_of_the_folder_comes_before_an_installed_one(
    sandbox: Sandbox, open_folder: Path
) -> None:
    own = {"deep/__init__.py": "", "deep/inner.py": "GAMES = ('kadabra',)\n"}
    files, log = build(sandbox, upload(THEIRS, {NAME: wheel("deep", DEEP), **own}))

    assert "deep in the bot's folder hides the installed package deep.\n" in log
    assert games_of(sandbox, files, open_folder) == ["kadabra"]


def test_packages_may_share_a_namespace_and_files_that_are_the_same(sandbox: Sandbox) -> None:
    both = {"spaces/license.txt": "as you like\n"}
    files, _ = build(
        sandbox,
        upload(
            files={
                "wheels/one-1.0-py3-none-any.whl": wheel("one", {**both, "spaces/one.py": ""}),
                "wheels/two-1.0-py3-none-any.whl": wheel("two", {**both, "spaces/two.py": ""}),
            }
        ),
    )
    assert {"site-packages/spaces/one.py", "site-packages/spaces/two.py"} < files.keys()


def record_that_lies() -> bytes:
    """A wheel of which a file was exchanged after its RECORD was written."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(wheel("deep", DEEP))) as good,
        zipfile.ZipFile(made, "w") as bad,
    ):
        for info in good.infolist():
            content = good.read(info)
            bad.writestr(info.filename, content if "inner" not in info.filename else b"x = 1\n")
    return made.getvalue()


def link() -> bytes:
    info = zipfile.ZipInfo("deep/passwd")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    made = io.BytesIO(wheel("deep", DEEP))
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr(info, "/etc/passwd")
    return made.getvalue()


OTHERS = {**DEEP, "deep/inner.py": "GAMES = ('lama',)\n"}
REFUSED: dict[str, tuple[Mapping[str, str | bytes], str]] = {
    "for another machine": (
        {"wheels/deep-1.0-cp39-cp39-win_amd64.whl": wheel("deep", DEEP)},
        "deep-1.0-cp39-cp39-win_amd64.whl is for another Python version or platform. Use a wheel "
        f"for one of {fitting()[0]}, ",
    ),
    "no wheel's name": ({"wheels/deep.whl": b""}, "deep.whl is not a valid wheel name"),
    "a source distribution": (
        {"wheels/deep-1.0.tar.gz": b"x"},
        "wheels/deep-1.0.tar.gz is not a wheel. Source distributions are not built here",
    ),
    "no archive": ({NAME: b"x" * 100}, "is not a valid wheel: File is not a zip file"),
    "a zip and no wheel": (
        {NAME: zipped({"a.py": ""})},
        "deep-1.0-py3-none-any.whl is not a valid wheel",
    ),
    "a future format": (
        {NAME: wheel("deep", DEEP, WHEEL="Wheel-Version: 2.0\nRoot-Is-Purelib: true\n")},
        "only support version 1.x wheels",
    ),
    "another package's": (
        {"wheels/shallow-1.0-py3-none-any.whl": wheel("deep", DEEP)},
        "doesn't match wheel filename",
    ),
    "a RECORD that lies": (
        {NAME: record_that_lies()},
        "deep/inner.py does not match its hash in RECORD",
    ),
    "names above": (
        {NAME: wheel("deep", {"../../mybot.py": BOT})},
        '"../../mybot.py" is not a valid file name',
    ),
    "names of ours": (
        {NAME: wheel("deep", {"deep-1.0.data/purelib/../../../mybot.py": BOT})},
        "is not a valid file name",
    ),
    "a link": ({NAME: link()}, "is a link or not a regular file"),
    "two of one": (
        {NAME: wheel("deep", DEEP), "wheels/Deep-1.0-py2.py3-none-any.whl": wheel("deep", DEEP)},
        "There are two wheels of deep. Remove one.",
    ),
    "the same file in two": (
        {NAME: wheel("deep", DEEP), "wheels/more-1.0-py3-none-any.whl": wheel("more", OTHERS)},
        "another wheel has a different site-packages/deep/inner.py",
    ),
    "a folder where they would be": (
        {NAME: wheel("deep", DEEP), "site-packages/deep.py": "x = 1\n"},
        "The build installs packages into site-packages, but the upload has a folder",
    ),
}  # fmt: skip


def installed(files: Mapping[str, str | bytes], limits: FileLimits) -> None:
    """What the sandbox does with the wheels of these files."""
    uploaded = [File(name, as_bytes(content)) for name, content in sorted(files.items())]
    wheel_installer.installed(iter(wheels_of(uploaded)), fitting(), limits)


def as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_wheel_is_refused_with_a_sentence(what: str) -> None:
    files, sentence = REFUSED[what]
    assert_refused(files, sentence)


def assert_refused(files: Mapping[str, str | bytes], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        installed(files, built(64))
    assert sentence in str(refused.value)


def test_wheels_that_unpack_to_too_much_are_refused_one_by_one_and_together() -> None:
    one = {NAME: wheel("deep", {f"{each}.bin": bytes(20 * MB) for each in "abcd"})}
    three = {
        f"wheels/deep{each}-1.0-py3-none-any.whl": wheel(
            f"deep{each}", {f"{each}.bin": bytes(30 * MB)}
        )
        for each in "abc"
    }
    for name, files in (("deep", one), ("deepc", three)):
        sentence = "cannot be installed: The files together are larger than 64 MB"
        assert_refused(files, f"{name}-1.0-py3-none-any.whl {sentence}")


def test_a_wheel_with_more_entries_than_a_tree_may_have_is_refused() -> None:
    many = {f"deep/{number}.txt": "" for number in range(60)}
    with pytest.raises(InvalidRequest, match="entries. The limit is 20 files"):
        installed({NAME: wheel("deep", many)}, FileLimits(20, MB, MB))


def test_an_author_reads_what_is_wrong_with_a_wheel(sandbox: Sandbox) -> None:
    large = {"deep/weights.bin": bytes(1_100_000)}
    with pytest.raises(
        InvalidRequest, match="weights.bin is larger than 1 MB, the limit of a file"
    ):
        build(sandbox, upload(files={NAME: wheel("deep", large)}), BuildLimits(limits=built(1)))
