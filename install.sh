#!/usr/bin/env bash
# Sets Postroom up. `./install.sh --local` runs it on this machine alone, from this checkout: see --help.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

usage() {
  cat << 'EOF'
Usage: ./install.sh --local [--internet]

  --local     installs the dependencies into this checkout, makes data/ with config, keys and two agents, and runs the
              daemon in the foreground on 127.0.0.1. No root, no DNS, no questions. Ctrl-C ends it. Run again, it goes on
              with what is there, keys included.
  --internet  lets its mail leave this machine; without it, a mail to elsewhere is refused.

It needs Node 20 or later and npm; Postroom's own Node comes with the dependencies.
EOF
}

fail() {
  echo "install.sh: $1" >&2
  exit "${2:-1}"
}

internet=()
case "${1:-}" in
  --local)
    if [ "${2:-}" = --internet ]; then internet=(--internet); fi
    [ "$#" -eq $((1 + ${#internet[@]})) ] || fail "--local goes with --internet alone, not with ${*:2}." 2
    ;;
  -h | --help)
    usage
    exit 0
    ;;
  '')
    usage >&2
    exit 2
    ;;
  *) fail "$1: this version has only --local; installing on a server by this script comes later.
To run one by hand: npm ci, ./scripts/postroom init, and systemd/postroom.service." 2 ;;
esac

command -v node > /dev/null || fail 'Node is missing. Install Node 20 or later with npm, for example: apt-get install nodejs npm'
command -v npm > /dev/null || fail 'npm is missing. Install it, for example: apt-get install npm'
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || fail "Node $(node --version) is too old. Install Node 20 or later."

# npm writes the second file when it has installed what the first one says.
if [ ! -x node_modules/.bin/node ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo 'Installing the dependencies (npm ci), a minute at most on most lines ...' >&2
  # What only the tests need stays out, unless it is there already; npm test brings it.
  omit=(--omit=dev)
  [ ! -x node_modules/.bin/tap ] || omit=()
  npm ci "${omit[@]}" --no-progress --loglevel=error >&2 || fail 'npm ci failed; what it says above is the reason.'
fi

# The owners' console, from its sources; nothing is done where the last build is of these.
node_modules/.bin/node scripts/build-console.ts --if-stale || fail 'The console could not be built; what it says above is the reason.'

node_modules/.bin/node scripts/build-server.ts --if-stale || fail 'The server could not be built; what it says above is the reason.'

# In place of this shell, so that a signal to it is the daemon's.
exec node_modules/.bin/node build/server/cli/local/local.js "${internet[@]}"
