"""Sandboxes for programs that nobody vouches for.

    sandbox = find_sandbox()          # the best that this machine has; Unavailable if it has none
    process = start(sandbox, ProcessSpec(main="package.module", arguments={}, folder=folder))

`seccomp` and `landlock` are the kernel's means, `bubblewrap` and `confined` the kinds of sandbox
that are made of them, `enter` what runs inside first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.hosting.sandbox.find import find_sandbox
    from arena.hosting.sandbox.sandbox import Limits, ProcessSpec, Sandbox, start

__all__ = ["Limits", "ProcessSpec", "Sandbox", "find_sandbox", "start"]


def __getattr__(name: str) -> Any:
    # Not before it is asked for: what runs inside needs neither, and each sandbox would keep it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.hosting.sandbox import find, sandbox

    return getattr(find if name == "find_sandbox" else sandbox, name)
