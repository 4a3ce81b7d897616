"""The control group of all sandboxes, in hierarchies like the kernel's."""

import os
from pathlib import Path

import pytest

from arena.base.errors import Unavailable
from arena.hosting.sandbox.control_group import Together, control_group, memory_limit

TOGETHER = Together(memory_mb=100, processes=50)
MB = 1024 * 1024


def own(folder: Path, text: str) -> Path:
    file = folder / "own"
    file.write_text(text)
    return file


def hierarchy(folder: Path, *groups: str) -> Path:
    mounted = folder / "mounted"
    for group in groups:
        (mounted / group).mkdir(parents=True)
    return mounted


def contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}


def test_in_version_2_it_is_a_group_below_the_hosts_own(tmp_path: Path) -> None:
    mounted = hierarchy(tmp_path, "system.slice/arena-host.service")
    (mounted / "cgroup.controllers").write_text("cpu memory pids")

    group = control_group(TOGETHER, mounted, own(tmp_path, "0::/system.slice/arena-host.service\n"))
    group.add(123)

    within = mounted / "system.slice/arena-host.service"
    assert group.folders == [within / f"arena-sandbox-{os.getpid()}"]
    assert (within / "cgroup.subtree_control").read_text() == "+cpu +memory +pids"
    found = contents(group.folders[0])
    assert found.pop("cpu.weight").isdigit()
    assert found == {"memory.max": str(100 * MB), "pids.max": "50", "cgroup.procs": "123"}


def test_in_version_1_it_is_one_for_each_controller(tmp_path: Path) -> None:
    mounted = hierarchy(tmp_path, "cpu", "memory/inside", "pids")
    text = "5:cpu:/of/the/machine\n4:memory:/inside\n3:pids:/\n0::/\n"

    group = control_group(TOGETHER, mounted, own(tmp_path, text))
    group.add(123)

    name = f"arena-sandbox-{os.getpid()}"
    assert group.folders == [mounted / place / name for place in ("cpu", "memory/inside", "pids")]
    cpu, memory, pids = (contents(folder) for folder in group.folders)
    assert int(cpu["cpu.shares"]) > 0
    assert memory["memory.limit_in_bytes"] == str(100 * MB)
    assert pids["pids.max"] == "50"
    assert cpu["cgroup.procs"] == memory["cgroup.procs"] == pids["cgroup.procs"] == "123"


def test_groups_of_hosts_that_were_killed_are_removed_and_those_of_others_are_not(
    tmp_path: Path,
) -> None:
    other = f"cpu/arena-sandbox-{os.getppid()}"
    mounted = hierarchy(tmp_path, "cpu/arena-sandbox-99999999", other, "memory", "pids")
    control_group(TOGETHER, mounted, own(tmp_path, "1:cpu,memory,pids:/\n"))
    assert not (mounted / "cpu/arena-sandbox-99999999").exists()
    assert (mounted / other).exists()


@pytest.mark.long
def test_failed_creation_leaves_no_group(tmp_path: Path) -> None:
    mounted = hierarchy(tmp_path, "memory", "pids")
    (mounted / "cpu").write_text("not a folder")
    with pytest.raises(Unavailable, match="^Cannot create a control group for hosted bots: "):
        control_group(TOGETHER, mounted, own(tmp_path, "1:cpu,memory,pids:/\n"))
    assert not list((mounted / "memory").iterdir())


@pytest.mark.parametrize(
    ("version_2", "place", "limits", "expected"),
    [
        (True, "0::/", {"": "4096"}, 4096),  # a container's
        (True, "0::/a.slice/b.service", {"a.slice": "3000", "a.slice/b.service": "5000"}, 3000),
        (True, "0::/a.slice", {"a.slice": "max"}, None),
        (True, "0::/a.slice", {}, None),
        (False, "4:memory:/of/the/machine\n0::/", {"memory": "4096"}, 4096),
        (False, "4:memory:/inside\n0::/", {"memory": "9000", "memory/inside": "4096"}, 4096),
    ],
)
def test_the_memory_limit_is_the_lowest_of_the_groups_above(
    tmp_path: Path, version_2: bool, place: str, limits: dict[str, str], expected: int | None
) -> None:
    mounted = tmp_path / "mounted"
    for folder, limit in limits.items():
        (mounted / folder).mkdir(parents=True, exist_ok=True)
        name = "memory.max" if version_2 else "memory.limit_in_bytes"
        (mounted / folder / name).write_text(f"{limit}\n")
    if version_2:
        mounted.mkdir(exist_ok=True)
        (mounted / "cgroup.controllers").touch()

    assert memory_limit(mounted, own(tmp_path, f"{place}\n")) == expected


def test_a_machine_without_groups_has_no_memory_limit(tmp_path: Path) -> None:
    assert memory_limit(tmp_path, tmp_path / "missing") is None
