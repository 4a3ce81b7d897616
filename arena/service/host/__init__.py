"""The role `arena host`: plays hosted bots, and builds what authors submit.

host        which versions this host has, by leases; what it does every second
session     one version: its stream to the gateway, its processes in the sandbox
builds      which submissions are built, how many at once, and whose
builder     one of them: unpacked in a sandbox, checked, tried in a match, accepted or refused
validation  the trial
turns, idle whose turn it is; how many cores are idle
runs        what became of processes, stored for their authors
store_calls the database, without waiting for it
trees       the files of versions, in the host's folder
"""
