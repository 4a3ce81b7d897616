"""What an author uploads to have a bot hosted, from a folder to the files that a sandbox runs.

files      a file of a submission: its name, which is checked, and its bytes; limits
manifest   bot.toml: what the program is and needs; checks of each key
pack       a folder or a single program -> the bytes to upload
packages   wheels among the files, and where they are installed
lock       what a build is to fetch from a package index: names, versions, hashes
byte_code  where compiled Python is in a tree
unpack     these bytes -> files; in a sandbox, since they are a stranger's
tree       files -> the stream in which a sandbox hands them to its host, and back; into a folder

It imports nothing but the error tree and the standard library: authors, the gateway, hosts and
sandboxes all use it.
"""
