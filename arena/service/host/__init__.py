"""The role `arena host`: plays hosted bots, and builds submissions.

host        the versions of this host, by leases, and its loop
session     one version: its stream to the gateway, its processes in the sandbox
builds      the order of builds, in which authors take turns, and how many run at once
builder     one build: unpack, check, validate, accept or refuse
validation  the trial match of a submission
programs    manifests -> programs that this host can run
serve       the process of a host
runs        reports of processes, stored for authors
store_calls the database, without waiting for it
artifacts   build artifacts in the host's folder
"""
