"""Sandboxes for untrusted programs.

    sandbox = find_sandbox()          # the best of this machine; raises Unavailable
    process = start(sandbox, ProcessSpec(main="package.module", arguments={}, folder=folder))

`seccomp` and `landlock` wrap features of the kernel. `bubblewrap` and `confined` are the kinds of
sandbox that use them, and `enter` is the first code that runs inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.hosting.sandbox.find import find_sandbox
    from arena.hosting.sandbox.sandbox import ProcessSpec, Sandbox, SandboxLimits, start

__all__ = ["ProcessSpec", "Sandbox", "SandboxLimits", "find_sandbox", "start"]


def __getattr__(name: str) -> Any:
    # Imported on demand, to save the memory in each sandbox.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arena.hosting.sandbox import find, sandbox

    return getattr(find if name == "find_sandbox" else sandbox, name)
