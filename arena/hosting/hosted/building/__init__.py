"""From an upload to the tree that is played, in steps, each in a sandbox of its own.

build      all of it: the files, their manifest, and what is told of it
step       one step: bytes go into a sandbox, the stream of a tree comes out
unpacking  the upload -> its files
fetching   a lock -> wheels, from the organiser's index
installing wheels -> site-packages
compiling  Python files -> byte code beside them

What runs in the sandboxes is in `arena.hosting.hosted.inside`. Nothing of the author's is run by
any of it.
"""
