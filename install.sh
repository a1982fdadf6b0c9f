#!/usr/bin/env bash
# Sets Postroom up: `--local` on this machine alone, from this checkout; otherwise on a server. See --help.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
# shellcheck source=scripts/install/common.sh
. scripts/install/common.sh

usage() {
  cat << 'EOF'
Usage: ./install.sh --local [--internet]
       sudo ./install.sh --hostname H --base-domain D --owner EMAIL [--workspace NAME]
       sudo ./install.sh --upgrade [--wait SECONDS]
       sudo ./install.sh --uninstall [--purge] [--yes]

  --local        installs the dependencies into this checkout, makes data/ with config, keys and two agents, and runs the
                 daemon in the foreground on 127.0.0.1. No root, no DNS, no questions. Ctrl-C ends it. Run again, it goes
                 on with what is there, keys included.
  --internet     lets its mail leave this machine; without it, a mail to elsewhere is refused.

On a server (Debian 12 and 13, Ubuntu 24.04), as root, from a checkout or an unpacked release:
  --hostname     the machine's name in mail, such as mx.example.com
  --base-domain  what the workspaces' subdomains live under, such as agents.example.com
  --owner        whom the first workspace belongs to; --workspace names it, `main` where that is left out
  --upgrade      replaces an installed version by this one, and goes back by itself where this one is not ready
                 within --wait seconds, 60 where that is left out
  --uninstall    removes the service and the code, and keeps config and data; --purge removes these too, and asks

It needs Node 20 or later and npm; Postroom's own Node comes with the dependencies. It changes nothing before its checks
have passed.
EOF
}

run_local() {
  require_node
  # npm writes the second file when it has installed what the first one says.
  if [ ! -x node_modules/.bin/node ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    echo 'Installing the dependencies (npm ci), a minute at most on most lines ...' >&2
    # What only the tests need stays out, unless it is there already; npm test brings it.
    local omit=(--omit=dev)
    [ ! -x node_modules/.bin/tap ] || omit=()
    npm ci "${omit[@]}" --no-progress --loglevel=error >&2 || fail 'npm ci failed; what it says above is the reason.'
  fi
  # From their sources, where there are any; nothing is done where the last build is of these.
  if [ -d src ]; then
    node_modules/.bin/node scripts/build-console.ts --if-stale || fail 'The console could not be built; what it says above is the reason.'
    node_modules/.bin/node scripts/build-server.ts --if-stale || fail 'The server could not be built; what it says above is the reason.'
  fi
  # In place of this shell, so that a signal to it is the daemon's.
  exec node_modules/.bin/node build/server/cli/local/local.js "$@"
}

mode=install
hostname='' base_domain='' owner='' workspace=main
internet=() purge=no yes=no wait=no
[ "$#" -gt 0 ] || { usage >&2; exit 2; }
while [ "$#" -gt 0 ]; do
  case "$1" in
    --local | --upgrade | --uninstall)
      [ "$mode" = install ] || fail "$1 does not go with --$mode." 2
      mode=${1#--}
      ;;
    --internet) internet=(--internet) ;;
    --purge) purge=yes ;;
    --wait)
      [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || fail '--wait takes seconds.' 2
      READY_WITHIN=$2
      wait=yes
      shift
      ;;
    --yes) yes=yes ;;
    --hostname | --base-domain | --owner | --workspace)
      [ -n "${2:-}" ] || fail "$1 wants a value." 2
      case "$1" in
        --hostname) hostname=$2 ;;
        --base-domain) base_domain=$2 ;;
        --owner) owner=$2 ;;
        --workspace) workspace=$2 ;;
      esac
      shift
      ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; echo >&2; fail "No such option: $1" 2 ;;
  esac
  shift
done
[ "${#internet[@]}" -eq 0 ] || [ "$mode" = local ] || fail '--internet goes with --local.' 2
[ "$purge$yes" = nono ] || [ "$mode" = uninstall ] || fail '--purge and --yes go with --uninstall.' 2
[ "$wait" = no ] || [ "$mode" = upgrade ] || fail '--wait goes with --upgrade.' 2
[ -z "$hostname$base_domain$owner" ] || [ "$mode" = install ] || fail "--hostname, --base-domain and --owner do not go with --$mode." 2

case "$mode" in
  local) run_local "${internet[@]}" ;;
  install)
    if [ -z "$hostname" ] || [ -z "$base_domain" ] || [ -z "$owner" ]; then
      fail '--hostname, --base-domain and --owner are all needed.' 2
    fi
    # shellcheck source=scripts/install/new.sh
    . scripts/install/new.sh
    install_new "$hostname" "$base_domain" "$owner" "$workspace"
    ;;
  upgrade)
    # shellcheck source=scripts/install/upgrade.sh
    . scripts/install/upgrade.sh
    upgrade
    ;;
  uninstall)
    # shellcheck source=scripts/install/uninstall.sh
    . scripts/install/uninstall.sh
    uninstall "$purge" "$yes"
    ;;
esac
