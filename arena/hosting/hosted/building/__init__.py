"""Builds uploads: each step runs in a separate sandbox, and none runs the author's code.

build      the whole build: the upload -> its files, manifest, byte code, build artifact and log
step       one step: bytes go into a sandbox, a build artifact comes out
wheels     a lockfile -> wheels, from the operator's index -> site-packages

`arena.hosting.hosted.inside` contains the code that runs in the sandboxes.
"""
