#!/usr/bin/env bash
# Installs the proxy that tests put before the server: Debian's own nginx, through apt. Its service is not started.
# Run by `npm test` where no nginx is found and this is possible; FIELDROLL_NGINX=none keeps it from that.
set -euo pipefail

say() { printf 'nginx: %s\n' "$*" >&2; }

for name in "${FIELDROLL_NGINX:-}" nginx /usr/sbin/nginx; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
    say "already installed at $(command -v "$name"); nothing to do."
    exit 0
  fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  say "this script only knows Debian and its kin (apt-get)."
  say "Install nginx your usual way, or set FIELDROLL_NGINX to the path of one."
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  say "installing packages needs root: run \`sudo bash .scripts/install-nginx.sh\`, or set FIELDROLL_NGINX to the path of one."
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
say "installing the package nginx with apt-get (about 3 MB on disk); FIELDROLL_NGINX=none would run the tests without."
apt update || say "the package lists could not be refreshed; trying with those at hand."
apt install -y --no-install-recommends nginx
say "installed: $(/usr/sbin/nginx -v 2>&1 | head -1)"
