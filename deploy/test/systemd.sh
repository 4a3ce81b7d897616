#!/usr/bin/env bash
# Installs an arena by deploy/systemd/install.sh on a bare Debian in a container with systemd as its first process, plays
# a tournament, stops processes in their tracks, upgrades, and plays another. Needs podman, root and ten minutes.
#
#   deploy/test/systemd.sh                                     on Debian 13
#   BASE=docker.io/library/debian:12 deploy/test/systemd.sh    on Debian 12, also where the host has cgroups v1 only
#   OPTIONS="-v /etc/pip.conf:/etc/pip.conf:ro" ...            more options for `podman build` and `podman run`
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
base=${BASE:-docker.io/library/debian:13}
read -ra options <<< "${OPTIONS:-}"
name=lama-arena-systemd-test
work=$(mktemp -d)
trap 'podman rm --force --time 0 $name >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

cat > "$work/Containerfile" <<'FILE'
ARG BASE
FROM ${BASE}
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    systemd systemd-sysv dbus procps ca-certificates >/dev/null
COPY test.service /etc/systemd/system/test.service
RUN systemctl enable test.service
CMD ["/sbin/init"]
FILE
cat > "$work/test.service" <<'FILE'
[Unit]
After=multi-user.target
SuccessAction=exit-force
SuccessActionExitStatus=0
FailureAction=exit-force
FailureActionExitStatus=1
[Service]
Type=oneshot
PassEnvironment=PIP_CERT SSL_CERT_FILE PIP_INDEX_URL
ExecStart=/src/deploy/test/systemd_inside.sh
StandardOutput=append:/out/log
StandardError=inherit
[Install]
WantedBy=default.target
FILE
podman build --quiet --network host "${options[@]}" --build-arg BASE="$base" -t $name "$work" >/dev/null
mkdir "$work/out"
touch "$work/out/log"
podman run --detach --name $name --systemd=always --network host --privileged "${options[@]}" \
    -v "$root:/src:ro" -v "$work/out:/out" $name >/dev/null
tail --follow --lines +1 "$work/out/log" &
tail=$!
status=$(podman wait $name)
sleep 1
kill $tail
[ "$status" = 0 ] || { echo "FAILED (status $status)"; exit 1; }
