"""Turns manifests into programs that this host can run."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from arena.base.config import Settings
from arena.base.errors import InvalidRequest
from arena.hosting.hosted.building.build import BuildLimits
from arena.hosting.hosted.program import Allowance, Program
from arena.hosting.sandbox.control_group import ControlGroup, memory_limit
from arena.hosting.sandbox.sandbox import MB, SandboxLimits
from arena.hosting.submission.files import built
from arena.hosting.submission.manifest import Manifest

MEMORY_SHARE = 0.75  # of the machine or container, by default


def offered(settings: Settings) -> tuple[str, ...]:
    """Return the packages that bots may import here."""
    return tuple(name.strip() for name in settings.host_packages.split(",") if name.strip())


def program_of(manifest: Manifest, folder: Path, key: bytes, name: str, version: str) -> Program:
    """Return the program in this folder. Raises InvalidRequest if this host cannot run it."""
    program = Program(
        folder,
        packages=tuple(manifest.dependencies),
        environment=manifest.environment,
        key=key,
        name=name,
        version=version,
    )
    if manifest.language == "python":
        return replace(program, entry=manifest.entry)
    first, *arguments = manifest.command
    if "/" in first:
        return replace(program, command=(str(folder / first), *arguments))
    found = _of_this_machine(first)
    return replace(program, command=(str(found), *arguments), executable=found)


def _of_this_machine(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise InvalidRequest(f"This host has no {name}. Ask its operator to install it.")
    return Path(found).resolve()


def allowance_of(
    manifest: Manifest, settings: Settings, group: ControlGroup | None = None
) -> Allowance:
    """Return the limits of each process of a bot."""
    return Allowance(
        limits=SandboxLimits(memory_mb=manifest.memory_mb),
        start_cpu_s=settings.host_start_s,
        waiting_s=settings.host_wait_s,
        most_output=settings.host_output_kb * 1024,
        group=group,
    )


def build_allowed(settings: Settings) -> BuildLimits:
    return BuildLimits(built(settings.host_tree_mb), settings.host_index)


def memory_mb(settings: Settings) -> int:
    """Return the memory limit of all hosted bots of this host, in megabytes."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    available = min(machine, memory_limit() or machine)
    return settings.host_memory_mb or int(MEMORY_SHARE * available / MB)
