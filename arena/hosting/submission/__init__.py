"""Uploads of authors, from a folder to the files that a sandbox runs.

files      a file of a submission with its checked name, byte code files, and limits
manifest   bot.toml: what the program is and needs
pack       a folder or a single program -> the bytes to upload
packages   wheels among the files, and where they are installed
lock       the lockfile: packages that a build downloads, with versions and hashes
unpack     these bytes -> files; in a sandbox, since they are untrusted
artifact   files -> the stream that a sandbox sends to its host, and back; into a folder

It imports only `arena.base.errors` and the standard library, since authors, the gateway, hosts and
sandboxes all use it.
"""
