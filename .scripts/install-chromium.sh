#!/usr/bin/env bash
# Installs the browser that the tests drive: Debian's own Chromium and one Noto font package, through apt.
# Run by `npm run chromium`, and by `npm test` where no browser is found and this is possible.
set -euo pipefail

say() { printf 'chromium: %s\n' "$*" >&2; }

for name in "${FIELDROLL_CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
    say "already installed at $(command -v "$name"); nothing to do."
    exit 0
  fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  say "this script only knows Debian and its kin (apt-get)."
  say "Install Chrome or Chromium your usual way, or set FIELDROLL_CHROMIUM to the path of one."
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  say "installing packages needs root: run \`sudo npm run chromium\`, or set FIELDROLL_CHROMIUM to the path of a browser."
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
apt() { apt-get -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -qq "$@" </dev/null >&2; }

say "installing the packages chromium and fonts-noto-core with apt-get (about 400 MB on disk); FIELDROLL_CHROMIUM=none would run the tests without."
apt update || say "the package lists could not be refreshed; trying with those at hand."
apt install -y --no-install-recommends chromium fonts-noto-core
say "installed: $(chromium --version 2>/dev/null || command -v chromium)"
