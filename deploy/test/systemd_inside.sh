#!/usr/bin/env bash
# What deploy/test/systemd.sh runs in its container.
set -euo pipefail
services=(arena-valkey arena-gateway arena-worker arena-prompt-worker arena-review-worker arena-beat arena-dashboard arena-house arena-host)
bots=(sharp careful five) # of the house's

step() { echo "== $*"; }
fail() {
    echo "FAILED: $*"
    systemctl list-units --all --no-pager 'arena*' || true
    journalctl --no-pager --lines 60 --unit 'arena-*' || true
    exit 1
}
trap 'fail "line $LINENO"' ERR

until_true() { # SECONDS COMMAND...
    local left=$1
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "this did not come true: $*"
        sleep 1
    done
}
all_active() { systemctl is-active --quiet "${services[@]}"; }
well() { arena status; }
matches() { runuser -u postgres -- psql -qAtc 'SELECT count(*) FROM matches' arena; }

connected() { grep -q "\"connected\": $1\b" <<< "$(arena status --json)"; } # HOW MANY
play() { # MATCHES
    timeout 300 arena tournament new "${bots[@]}" --seats 3 --matches "$1" --watch < /dev/null | tail -5
}
# A process that stands still is found out by the watchdog, and started again.
stand_still() { # SERVICE
    local before
    before=$(systemctl show --value --property MainPID "$1")
    kill -STOP "$before"
    until_true 60 sh -c "[ \$(systemctl show --value --property NRestarts $1) -gt 0 ]"
    until_true 60 systemctl is-active --quiet "$1"
    [ "$(systemctl show --value --property MainPID "$1")" != "$before" ]
}

step "errors are sentences"
said=$(/src/deploy/systemd/install.sh --no-such-option 2>&1 || true)
[[ $said == *"Error: There is no option --no-such-option." ]]
said=$(runuser -u nobody -- /src/deploy/systemd/install.sh 2>&1 || true)
[[ $said == "Error: Only root can install"* ]]
[[ $(/src/deploy/systemd/install.sh --help) == "Usage:"* ]]

step "install"
/src/deploy/systemd/install.sh
until_true 60 all_active
until_true 60 well
[ "$(stat -c '%a %U' /etc/arena/secrets.env)" = "600 root" ]
[ "$(stat -c '%a %U' /etc/arena/valkey.conf)" = "600 arena" ]
if runuser -u nobody -- arena status 2>/dev/null; then fail "anybody may run arena"; fi
for service in "${services[@]}"; do
    [ "$(ps -o user= -p "$(systemctl show --value --property MainPID "$service")")" = arena ]
    # Exposure of 2.5 or less, of 10, and more for who makes sandboxes; the last line says how much it is.
    most=25
    [ "$service" != arena-host ] || most=30
    systemd-analyze security --no-pager --threshold=$most "$service" | tail -1
done
if systemd-analyze verify /etc/systemd/system/arena-*.service 2>&1 | grep arena; then fail "systemd finds mistakes"; fi
cp /etc/arena/secrets.env /root/secrets.before

step "play"
until_true 60 connected 6
play 60
[ "$(matches)" = 60 ]

step "the watchdog"
for service in arena-gateway arena-worker arena-beat arena-house arena-host arena-dashboard; do stand_still "$service"; done
dashboard=http://127.0.0.1:7421
python3 - "$dashboard/livez" <<'PY'
import sys, time, urllib.request
deadline = time.monotonic() + 120
while True:
    try:
        urllib.request.urlopen(sys.argv[1], timeout=3).close()
        break
    except OSError:
        assert time.monotonic() < deadline, "the dashboard stays silent"
        time.sleep(1)
PY
until_true 60 all_active
until_true 60 well
until_true 60 connected 6

step "a hosted bot is submitted and plays"
cd "$(mktemp -d)"
printf '%s\n' 'from arena.sdk import Bot' 'class Hosted(Bot):' '    def choose(self, view):' '        return view.actions[0]' > hosted.py
ARENA_TOKEN=$(arena bot add hosted)
export ARENA_TOKEN
ARENA_URL=127.0.0.1:7420 timeout 120 /opt/arena/current/bin/arena bot submit hosted.py
unset ARENA_TOKEN
until_true 60 sh -c 'arena status --json | grep -q "\"hosted_connected\": 1\b"'
timeout 300 arena tournament new hosted "${bots[@]}" --seats 2 --matches 10 --watch < /dev/null | tail -5
arena bot retire hosted
played=$(matches)
cd /

step "the house's bots are those that are asked for"
echo "ARENA_HOUSE_BOTS=$(IFS=,; echo "${bots[*]}")" >> /etc/arena/arena.env
systemctl restart arena-house
until_true 60 connected ${#bots[@]}

step "upgrade"
/src/deploy/systemd/install.sh
until_true 60 all_active
until_true 60 well
[ "$(matches)" = "$played" ]
cmp /etc/arena/secrets.env /root/secrets.before
[ "$(find /var/backups/arena -name '*.gz' | wc -l)" = 1 ]
[ "$(find /opt/arena/releases -mindepth 1 -maxdepth 1 | wc -l)" = 2 ]
until_true 60 connected ${#bots[@]}
play 60
[ "$(matches)" = $((played + 60)) ]

# An upgrade that says this, and after which the release from before runs.
fails_saying() {
    local before said
    before=$(readlink /opt/arena/current)
    said=$(/src/deploy/systemd/install.sh 2>&1 || true)
    [[ $said == *"$1"*"starting the release from before again."* ]] || fail "it said: $said"
    [ "$(readlink /opt/arena/current)" = "$before" ]
    until_true 60 all_active
    until_true 60 well
}

step "an upgrade that cannot be backed up"
mount --bind -o ro /var/backups/arena /var/backups/arena
mount -o remount,bind,ro /var/backups/arena
fails_saying "Error: The backup failed, so nothing was changed."
umount /var/backups/arena

step "a migration that fails"
mkdir -p /etc/systemd/system/arena-migrate.service.d
cat > /etc/systemd/system/arena-migrate.service.d/test.conf <<CONF
[Service]
ExecStartPre=/bin/sh -c '[ "\$(readlink /opt/arena/current)" = $(readlink /opt/arena/current) ]'
CONF
fails_saying "Error: The database was not migrated"
[ "$(matches)" = $((played + 60)) ]

step "stop"
systemctl stop arena.target
until_true 90 sh -c "! pgrep -u arena"
if journalctl --no-pager --unit 'arena-*' --grep 'State .stop-sigterm. timed out|Traceback'; then fail "see above"; fi
echo "== all of it passed"
