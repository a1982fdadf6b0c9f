#!/usr/bin/env bash
# Sets Postroom up: `--local` on this machine alone, from this checkout; otherwise on a server. See --help.
set -euo pipefail
caller=$PWD
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
# shellcheck source=scripts/install/common.sh
. scripts/install/common.sh

# shellcheck source=scripts/install/checkout.sh
. scripts/install/checkout.sh

usage() {
  cat << 'EOF'
Usage: ./install.sh --local [--internet]
       sudo ./install.sh --hostname H --base-domain D --owner EMAIL [--workspace NAME] [--open-signup] [--behind-proxy]
       sudo ./install.sh --join URL [--vault-key FILE]
       sudo ./install.sh --restore FILE [--passphrase-file FILE]
       sudo ./install.sh --upgrade [FILE] [--wait SECONDS] [--unsigned]
       sudo ./install.sh --uninstall [--purge] [--yes]

  --local        installs the dependencies into this checkout, makes data/ with config, keys and two agents, and runs the
                 daemon in the foreground on 127.0.0.1. No root, no DNS, no questions. Ctrl-C ends it. Run again, it goes
                 on with what is there, keys included.
  --internet     lets its mail leave this machine; without it, a mail to elsewhere is refused.

On a server (Debian 12 and 13, Ubuntu 24.04), as root, from an unpacked release or a checkout:
  --hostname     the machine's name in mail, such as mx.example.com
  --base-domain  what the workspaces' subdomains live under, such as agents.example.com
  --owner        whom the first workspace belongs to, and who gets mail to postmaster; --workspace names it, `main`
                 where that is left out
  --open-signup  lets agents make workspaces for themselves
  --behind-proxy leaves 80 and 443 to a web server on this machine, and says what to write into its config
  --join         makes this machine one more box of the installation in the PostgreSQL database at URL, from which it takes
                 config and certificates; `--join -` asks for the URL, which then stands in no list of processes.
                 --vault-key is a copy of the first box's /etc/postroom/vault.key, where it is not in its place here
  --restore      moves an instance here: installs, and goes on with what `postroom backup --with-config --with-key`
                 wrote on the other machine; --passphrase-file has the key's passphrase
  --upgrade      replaces the installed version by FILE, a release's tarball, or else by this tree, and goes back by
                 itself where that is not ready within --wait seconds, 60 where that is left out. Where releases were
                 signed, it takes no other (--unsigned does)
  --uninstall    removes the service and the code, and keeps config and data; --purge removes these too, and asks

A release brings all it needs. A checkout needs npm, and fetches the packages. Nothing is changed before the checks pass.
EOF
}

run_local() {
  # A release is built already.
  if [ -d src ]; then
    install_packages
    node_modules/.bin/node scripts/build-console.ts --if-stale || fail 'The console could not be built; what it says above is the reason.'
    node_modules/.bin/node scripts/build-server.ts --if-stale || fail 'The server could not be built; what it says above is the reason.'
  fi
  # In place of this shell, so that a signal to it is the daemon's.
  exec node_modules/.bin/node --disable-sigusr1 build/server/local.js "$@"
}

mode=install
hostname='' base_domain='' owner='' workspace=main
opens_signup='' behind_proxy='' unsigned=no init=() from=() restore='' passphrase=() joined='' vault_key=''
internet=() purge=no yes=no wait=()
arguments=("$@")
[ "$#" -gt 0 ] || { usage >&2; exit 2; }
while [ "$#" -gt 0 ]; do
  case "$1" in
    --local | --upgrade | --uninstall)
      [ "$mode" = install ] || fail "$1 does not go with --$mode." 2
      mode=${1#--}
      if [ "$mode" = upgrade ] && [[ ${2:---} != --* ]]; then
        from=("$(cd "$caller" && readlink -e "$2")") || fail "There is no such file: $2" 2
        shift
      fi
      ;;
    --internet) internet=(--internet) ;;
    --purge) purge=yes ;;
    --unsigned) unsigned=yes ;;
    --restore | --passphrase-file | --vault-key)
      file=$(cd "$caller" && readlink -e "${2:-}") || fail "There is no such file: ${2:-}" 2
      case "$1" in
        --restore) restore=$file ;;
        --vault-key) vault_key=$file ;;
        *) passphrase=("$1" "$file") ;;
      esac
      shift
      ;;
    --open-signup) opens_signup=$1 init+=("$1") ;;
    --behind-proxy) behind_proxy=$1 init+=("$1") ;;
    --wait)
      [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || fail '--wait takes seconds.' 2
      READY_WITHIN=$2
      wait=(--wait "$2")
      shift
      ;;
    --yes) yes=yes ;;
    --hostname | --base-domain | --owner | --workspace | --join)
      [ -n "${2:-}" ] || fail "$1 wants a value." 2
      case "$1" in
        --hostname) hostname=$2 ;;
        --base-domain) base_domain=$2 ;;
        --owner) owner=$2 ;;
        --workspace) workspace=$2 ;;
        --join) joined=$2 ;;
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
[ "${#wait[@]}" -eq 0 ] && [ "$unsigned" = no ] || [ "$mode" = upgrade ] || fail '--wait and --unsigned go with --upgrade.' 2
[ -z "$hostname$base_domain$owner$opens_signup$behind_proxy" ] || [ "$mode" = install ] || fail "What a new server is told does not go with --$mode." 2
[ -z "$restore" ] || { [ "$mode" = install ] && [ -z "$hostname$base_domain$owner" ]; } || fail '--restore brings its own names.' 2
[ -z "$joined" ] || { [ "$mode" = install ] && [ -z "$hostname$base_domain$owner$opens_signup$behind_proxy$restore" ]; } || fail '--join takes all else from the installation.' 2
[ -z "$vault_key" ] || [ -n "$joined" ] || fail '--vault-key goes with --join.' 2
if [ "$mode" = install ] && [ -z "$restore$joined" ] && { [ -z "$hostname" ] || [ -z "$base_domain" ] || [ -z "$owner" ]; }; then
  fail '--hostname, --base-domain and --owner are all needed.' 2
fi

case "$mode" in
  local) run_local "${internet[@]}" ;;
  install)
    [ ! -d src ] || go_on_from_release "${arguments[@]}"
    # shellcheck source=scripts/install/new.sh
    . scripts/install/new.sh
    if [ -n "$restore" ]; then install_restored; elif [ -n "$joined" ]; then install_joined; else install_new; fi
    ;;
  upgrade)
    [ ! -d src ] || [ "${#from[@]}" -gt 0 ] || go_on_from_release "${arguments[@]}"
    # shellcheck source=scripts/install/upgrade.sh
    . scripts/install/upgrade.sh
    if [ "$unsigned" = yes ]; then wait+=(--unsigned); fi
    upgrade "${from[@]}" "${wait[@]}"
    ;;
  uninstall)
    # shellcheck source=scripts/install/uninstall.sh
    . scripts/install/uninstall.sh
    uninstall "$purge" "$yes"
    ;;
esac
