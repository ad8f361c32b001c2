#!/usr/bin/env bash
# Installs one of Debian's packages that tests and benchmarks use, through apt: install.sh chromium|nginx|pgbouncer|postgres.
# No service is started and no database cluster is made. `npm test` runs it where a program is missing and this is possible;
# FIELDROLL_CHROMIUM=none, FIELDROLL_NGINX=none and FIELDROLL_PGBOUNCER=none keep it from that.
set -euo pipefail

name=${1:-}
# The programs that do, the packages that bring one, and their size on disk.
case $name in
  chromium)
    programs="${FIELDROLL_CHROMIUM:-} chromium chromium-browser google-chrome-stable google-chrome chrome"
    packages="chromium fonts-noto-core"
    size="400 MB"
    ;;
  nginx)
    programs="${FIELDROLL_NGINX:-} nginx /usr/sbin/nginx"
    packages=nginx
    size="3 MB"
    ;;
  pgbouncer)
    programs="${FIELDROLL_PGBOUNCER:-} pgbouncer /usr/sbin/pgbouncer"
    packages=pgbouncer
    size="2 MB"
    ;;
  postgres)
    programs=$(echo /usr/lib/postgresql/*/bin/initdb)
    packages=postgresql
    size="60 MB"
    ;;
  *)
    printf 'usage: bash .scripts/install.sh chromium|nginx|pgbouncer|postgres\n' >&2
    exit 2
    ;;
esac
own="FIELDROLL_${name^^}"
[ "$name" = postgres ] && own=FIELDROLL_TEST_POSTGRES

say() { printf '%s: %s\n' "$name" "$*" >&2; }

for program in $programs; do
  if command -v "$program" >/dev/null 2>&1; then
    say "already installed at $(command -v "$program"); nothing to do."
    exit 0
  fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  say "this script only knows Debian and its kin (apt-get). Install $name your usual way, or set $own to where one is."
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  say "installing packages needs root: run \`sudo bash .scripts/install.sh $name\`, or set $own to where one is."
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
# Nor does PostgreSQL make a cluster of its own.
if [ "$name" = postgres ]; then
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] || printf 'create_main_cluster = false\n' >/etc/postgresql-common/createcluster.conf
fi
say "installing $packages with apt-get (about $size on disk)."
apt update || say "the package lists could not be refreshed; trying with those at hand."
# Without quotes: there may be several.
apt install -y --no-install-recommends $packages
say "installed."
