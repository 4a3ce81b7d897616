"""Sandboxes for untrusted programs.

    sandbox = kinds.find_sandbox()    # the best of this machine; raises Unavailable
    process = start(sandbox, ProcessSpec(main="package.module", arguments={}, folder=folder))

`seccomp` and `landlock` wrap features of the kernel. `kinds` has the kinds of sandbox that use
them, and `enter` is the first code that runs inside.
"""
