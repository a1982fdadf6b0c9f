# shellcheck shell=bash
# A checkout: its packages by npm, and the tree of a release that is made of it.

# npm 8 writes and reads the lock file's form; any Node that runs it will do, for the project's own comes with the packages.
OLDEST_NPM=8

require_npm() {
  local found
  if ! command -v npm > /dev/null; then
    fail 'npm is missing, which fetches the packages. Install it: apt-get install npm. A release needs none.'
  fi
  found=$(npm --version 2> /dev/null) || fail 'npm does not run: see npm --version. On Debian: apt-get install --reinstall nodejs npm'
  [ "${found%%.*}" -ge "$OLDEST_NPM" ] || fail "npm $found is too old. Install npm $OLDEST_NPM or later, with Node 18 or later: on Debian 12 and 13, apt-get install nodejs npm"
}

# A checkout goes on belonging to the one who made it.
as_owner() {
  local owner home
  owner=$(stat -c %U .)
  if [ "$owner" = "$(id -un)" ] || [ "$owner" = UNKNOWN ]; then
    "$@"
    return
  fi
  home=$(getent passwd "$owner" | cut -d: -f6)
  setpriv --reuid="$owner" --regid="$(id -g "$owner")" --init-groups env HOME="$home" "$@"
}

install_packages() {
  require_npm
  as_owner scripts/packages || fail 'The packages could not be installed; what npm says above is the reason.'
}

# Where this is a checkout, the installer goes on from the tree of a release that is made of it.
go_on_from_release() {
  [ "$(id -u)" -eq 0 ] || fail 'Installing on a server wants root: sudo ./install.sh ...'
  install_packages
  as_owner node_modules/.bin/node scripts/release.ts --into build/release || fail 'The release could not be made; what it says above is the reason.'
  exec build/release/install.sh "$@"
}
