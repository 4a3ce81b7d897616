#!/usr/bin/env bash
set -euo pipefail

usage() {
    cat <<'HELP'
Usage: deploy/systemd/install.sh [--no-start] [--help]

Installs a whole arena on this machine, Debian 12 or 13, as systemd units: PostgreSQL, a Valkey or Redis of its own,
gateway, worker, prompt worker, review worker, beat, dashboard, house bots, and a host for uploaded bots.

To upgrade, run it from a newer clone. It installs the new release next to the old one, stops the arena, backs it up to
/var/backups/arena, migrates the database and starts the arena. Settings, secrets and the database are kept. If a step
fails, it starts the old release again.

  --no-start   Only install files, without starting anything or touching a database (for the image of a machine).
               Run it again without this option on the machine itself.

With a C compiler (apt-get install gcc python3-dev) it compiles the rules, which makes matches several times faster.
HELP
}

say() { printf '%s\n' "$*"; }
die() { printf 'Error: %s\n' "$*" >&2; exit 1; }

start=yes
for word; do
    case $word in
        --no-start) start=no ;;
        --help | -h) usage; exit 0 ;;
        *) usage >&2; die "There is no option $word." ;;
    esac
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
clone=$(cd "$here/../.." && pwd)
opt=/opt/arena etc=/etc/arena
units=/etc/systemd/system
services=(arena-valkey arena-gateway arena-worker arena-prompt-worker arena-review-worker arena-beat arena-dashboard arena-house arena-host)

check_machine() {
    [ "$(id -u)" = 0 ] || die "Only root can install: sudo $0"
    # shellcheck disable=SC1091
    . /etc/os-release
    case "${ID:-}-${VERSION_ID:-}" in
        debian-12 | debian-13) ;;
        *) die "This script supports Debian 12 and 13 only. This is ${PRETTY_NAME:-another system}." ;;
    esac
    [ $start = no ] || [ -d /run/systemd/system ] ||
        die "systemd does not run here, so nothing can be started. Install only the files with --no-start."
    [ -f "$clone/deploy/requirements.lock" ] || die "$clone is not a clone of lama-arena."
}

install_packages() {
    local wanted=(python3-venv postgresql systemd) missing=() name
    if ! command -v valkey-server redis-server >/dev/null; then
        [ -n "$(apt-cache madison valkey-server 2>/dev/null)" ] || apt-get update -qq
        if [ -n "$(apt-cache madison valkey-server 2>/dev/null)" ]; then wanted+=(valkey-server); else wanted+=(redis-server); fi
    fi
    for name in "${wanted[@]}"; do
        dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing ${missing[*]}"
    apt-get update -qq
    local said
    said=$(DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" 2>&1) || {
        printf '%s\n' "$said" >&2
        die "apt-get could not install ${missing[*]}; see its messages above."
    }
    # The arena does not use the server of the package.
    for name in valkey-server redis-server; do
        if [ $start = yes ] && [[ " ${missing[*]} " == *" $name "* ]]; then systemctl disable --quiet --now "$name"; fi
    done
}

packages_of() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }

install_release() {
    release=$opt/releases/$(date -u +%Y%m%dT%H%M%SZ)
    say "Installing the release into $release"
    mkdir -p $opt/releases
    copy=$(mktemp -d)
    trap 'rm -rf "$copy" "$release"' EXIT
    local part pip=("$release/bin/python" -m pip --quiet --disable-pip-version-check --no-cache-dir)
    for part in pyproject.toml README.md LICENSE proto arena workers dashboard docs deploy; do
        cp -r "$clone/$part" "$copy/"
    done
    find "$copy" -name __pycache__ -prune -exec rm -rf {} +
    rm -rf "$copy/arena/_compiled"
    python3 -m venv "$release"
    "${pip[@]}" install --no-deps --require-hashes -r "$copy/deploy/requirements.lock"
    "${pip[@]}" install --no-deps --no-build-isolation "$copy"
    if command -v cc >/dev/null; then
        "${pip[@]}" install --no-deps --require-hashes -r "$copy/deploy/requirements-compile.lock"
        "$release/bin/python" "$copy/deploy/compile.py" --root "$(packages_of "$release")"
    fi
    rm -rf "$copy"
    trap - EXIT
    say "Installed $("$release/bin/arena" --version)"
}

install_files() {
    install -D -m 644 "$here/arena.sysusers" /etc/sysusers.d/arena.conf
    install -D -m 644 "$here/arena.tmpfiles" /etc/tmpfiles.d/arena.conf
    systemd-sysusers /etc/sysusers.d/arena.conf
    systemd-tmpfiles --create /etc/tmpfiles.d/arena.conf
    install -m 644 "$here"/arena*.service "$here/arena.target" $units/
    install -m 755 "$here/arena" /usr/local/bin/arena
    install -d -m 755 $etc
    [ -e $etc/arena.env ] || install -m 644 "$here/arena.env" $etc/arena.env
    make_secrets
    ln -sfn "$(command -v valkey-server || command -v redis-server)" $opt/valkey-server
    [ $start = no ] || systemctl daemon-reload
}

secret() { python3 -c 'import secrets; print(secrets.token_urlsafe(32))'; }

# Generated once, on this machine.
make_secrets() {
    [ ! -e $etc/secrets.env ] || return 0
    local password
    password=$(secret)
    (
        umask 077
        { cat "$here/valkey.conf"; echo "requirepass $password"; } > $etc/valkey.conf
        {
            echo "ARENA_REDIS_URL=redis://:$password@127.0.0.1:7419/0"
            echo "ARENA_SECRET_KEY=$(secret)"
            echo "ARENA_ADMIN_TOKEN=$(secret)"
        } > $etc/secrets.env.new
    )
    chown arena: $etc/valkey.conf
    mv $etc/secrets.env.new $etc/secrets.env
}

as_postgres() { runuser -u postgres -- "$@"; }

make_database() {
    systemctl start postgresql
    local tries=0
    until as_postgres psql -qAtc 'SELECT 1' postgres >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 30 ] || die "PostgreSQL does not answer: journalctl -u postgresql says why."
        sleep 1
    done
    [ "$(as_postgres psql -qAtc "SELECT 1 FROM pg_roles WHERE rolname = 'arena'" postgres)" = 1 ] || as_postgres createuser arena
    [ "$(as_postgres psql -qAtc "SELECT 1 FROM pg_database WHERE datname = 'arena'" postgres)" = 1 ] ||
        as_postgres createdb --owner arena arena
}

# Whether an arena was started here before, possibly with a database on another machine.
has_data() {
    systemctl is-enabled --quiet arena.target 2>/dev/null ||
        [ -n "$(as_postgres psql -qAtc 'SELECT 1 FROM pg_tables WHERE schemaname = current_schema() LIMIT 1' arena)" ]
}

back_up() {
    backup=/var/backups/arena/$(date -u +%Y%m%dT%H%M%SZ).gz
    say "Backing up to $backup"
    /usr/local/bin/arena backup "$backup" >/dev/null || die "The backup failed, so nothing was changed."
}

# If something fails before the migration, restart the old release. If a migration of several steps fails midway, the old
# release cannot use the database, and the operator has to decide.
start_old() {
    ln -sfn "$old" $opt/current
    systemctl stop arena-migrate
    if /usr/local/bin/arena db check >/dev/null; then
        say "The upgrade failed; starting the release from before again." >&2
        systemctl start --no-block arena.target
    else
        say "The upgrade failed on its way. Mend what journalctl -u arena-migrate says and run this again: it goes on" \
            "where it was. Or put ${backup:-the last backup} into an empty database, and start arena.target." >&2
    fi
}

stop_arena() { systemctl stop arena.target "${services[@]:1}" arena-migrate; }

start_arena() {
    ln -sfn "$release" $opt/current
    systemctl enable --quiet arena.target "${services[@]}"
    systemctl restart arena-valkey
    systemctl start arena-migrate || die "The database was not migrated: journalctl -u arena-migrate says why."
    trap - EXIT # the old release can no longer use this database
    systemctl start arena.target "${services[@]}" || die "Not everything started: systemctl list-units 'arena*' says what."
}

# Keep three releases, because a backup needs the release that created it.
remove_old_releases() {
    local each
    for each in $(ls -1d $opt/releases/* | head -n -3); do
        [ "$each" = "$(readlink $opt/current)" ] || rm -rf "$each"
    done
}

# The shell must read everything first, since the clone may change meanwhile.
main() {
    check_machine
    install_packages
    install_release
    old=$(readlink $opt/current || true)
    [ -n "$old" ] || ln -sfn "$release" $opt/current
    install_files
    if [ $start = no ]; then
        [ -z "$old" ] || say "The running release stays: run this again without --no-start."
        say "Installed. Nothing was started: run $0 on the machine itself."
        exit 0
    fi
    make_database
    if [ -n "$old" ] && has_data; then
        say "Stopping the arena"
        trap start_old EXIT
        stop_arena
        back_up
    fi
    start_arena
    remove_old_releases
    say "The arena runs: the dashboard on port 7421, the gateway on port 7420 ($etc/arena.env)."
    say "  sudo arena status                     how it is"
    say "  sudo arena account add NAME           an account; sudo arena account organiser NAME lets it make tournaments"
    say "  journalctl -u 'arena-*' -f            what its processes say"
}

main
