"""Sandboxes for untrusted programs.

    from arena.hosting.sandbox.kinds import find_sandbox
    from arena.hosting.sandbox.sandbox import ProcessSpec, start

    best = find_sandbox()    # of this machine; raises Unavailable
    process = start(best, ProcessSpec(main="package.module", arguments={}, folder=folder))

`seccomp` and `landlock` wrap features of the kernel. `kinds` has the kinds of sandbox that use
them, and `enter` is the first code that runs inside.
"""
