#!/usr/bin/env bash
# Installs the pooler that tests put before PostgreSQL: Debian's own pgbouncer, through apt. Its service is not started.
# Run by `npm test` where no pgbouncer is found and this is possible; FIELDROLL_PGBOUNCER=none keeps it from that.
set -euo pipefail

say() { printf 'pgbouncer: %s\n' "$*" >&2; }

for name in "${FIELDROLL_PGBOUNCER:-}" pgbouncer /usr/sbin/pgbouncer; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
    say "already installed at $(command -v "$name"); nothing to do."
    exit 0
  fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  say "this script only knows Debian and its kin (apt-get)."
  say "Install PgBouncer your usual way, or set FIELDROLL_PGBOUNCER to the path of one."
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  say "installing packages needs root: run \`sudo bash .scripts/install-pgbouncer.sh\`, or set FIELDROLL_PGBOUNCER to the path of one."
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt() { apt-get -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -qq "$@" </dev/null >&2; }

# Packages start their services as they are installed, unless the system says that it may not.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi
say "installing the package pgbouncer with apt-get (about 2 MB on disk); FIELDROLL_PGBOUNCER=none would run the tests without."
apt update || say "the package lists could not be refreshed; trying with those at hand."
apt install -y --no-install-recommends pgbouncer
say "installed: $(/usr/sbin/pgbouncer --version 2>/dev/null | head -1)"
