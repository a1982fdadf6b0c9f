# shellcheck shell=bash
# What the ways of installing share: places, words, the release and its link.

OPT=/opt/postroom
ETC=/etc/postroom
DATA=/var/lib/postroom
CONFIG=$ETC/postroom.toml
UNITS=/etc/systemd/system
UNIT=$UNITS/postroom.service
CLI=/usr/local/bin/postroom
CURRENT=$OPT/current
SERVICE_USER=postroom
READY_WITHIN=60
# A new version that ends soon after its start has not started.
READY_FOR=3
# The tree of the version that this run installs.
release=''

fail() {
  echo "install.sh: $1" >&2
  exit "${2:-1}"
}

say() {
  echo "== $1"
}

require_node() {
  command -v node > /dev/null || fail 'Node is missing. Install Node 20 or later with npm, for example: apt-get install nodejs npm'
  command -v npm > /dev/null || fail 'npm is missing. Install it, for example: apt-get install npm'
  local major
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] || fail "Node $(node --version) is too old. Install Node 20 or later, for example: npm install --global node@24"
}

require_root() {
  [ "$(id -u)" -eq 0 ] || fail 'Installing on a server wants root: sudo ./install.sh ...'
}

# The tree of a release, in $1: an unpacked release is one; a checkout makes one.
assemble_release() {
  if [ ! -d src ]; then
    sha256sum --check --quiet --strict SHA256SUMS || fail 'This release is not whole: unpack it again.'
    mkdir -p "$1"
    # Times of files are those of the installation: caches of browsers go by them.
    tar -c --exclude=./node_modules . | tar -x -m --no-same-owner -C "$1"
    return
  fi
  if [ ! -x node_modules/.bin/node ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    say 'installs the dependencies into this checkout, which builds the server and the console'
    as_owner npm ci --omit=dev --no-progress --loglevel=error || fail 'npm ci failed; what it says above is the reason.'
  fi
  as_owner node_modules/.bin/node scripts/release.ts --into build/release || fail 'The release could not be made; what it says above is the reason.'
  mkdir -p "$1"
  tar -c -C build/release . | tar -x -m --no-same-owner -C "$1"
}

# A checkout goes on belonging to the one who made it.
as_owner() {
  local owner home
  owner=$(stat -c %U .)
  if [ "$owner" = root ] || [ "$owner" = UNKNOWN ]; then
    "$@"
    return
  fi
  home=$(getent passwd "$owner" | cut -d: -f6)
  setpriv --reuid="$owner" --regid="$(id -g "$owner")" --init-groups env HOME="$home" "$@"
}

# Puts this version into $OPT/releases, with its dependencies, and its folder into `release`. Nothing runs from it yet.
stage_release() {
  local fresh=$OPT/releases/.new id version
  mkdir -p "$OPT/releases"
  chmod 755 "$OPT" "$OPT/releases"
  rm -rf "$fresh"
  assemble_release "$fresh"
  version=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).version' "$fresh/package.json")
  id=$version-$(sha256sum "$fresh/SHA256SUMS" | cut -c1-10)
  release=$OPT/releases/$id
  if [ -e "$release/.complete" ]; then
    rm -rf "$fresh"
    return
  fi
  say "installs the dependencies of $id"
  if [ -d "$CURRENT/node_modules" ] && cmp -s "$CURRENT/package-lock.json" "$fresh/package-lock.json"; then
    # The same ones as hard links: nobody writes to a release.
    cp -al "$CURRENT/node_modules" "$fresh/node_modules"
  else
    (cd "$fresh" && npm ci --omit=dev --no-progress --loglevel=error --prefer-offline) || fail 'npm ci failed; what it says above is the reason.'
  fi
  chown -R root:root "$fresh"
  chmod -R go=rX "$fresh"
  touch "$fresh/.complete"
  rm -rf "$release"
  mv "$fresh" "$release"
}

# The release that is installed; empty where there is none.
current_release() {
  if [ -e "$CURRENT" ]; then readlink -f "$CURRENT"; fi
}

# Makes $1 the release that runs from the next start on.
use_release() {
  ln -sfn "$1" "$OPT/.current"
  mv -T "$OPT/.current" "$CURRENT"
  local unit
  for unit in postroom.service postroom-backup.service postroom-backup.timer; do
    if [ -e "$1/systemd/$unit" ]; then replace_file "$1/systemd/$unit" "$UNITS/$unit" 644; fi
  done
  replace_file "$1/scripts/install/postroom" "$CLI" 755
  systemctl daemon-reload
}

# Leaves a file alone that is the same already.
replace_file() {
  if cmp -s "$1" "$2"; then return; fi
  install -D -o root -g root -m "$3" "$1" "$2"
}

# The CLI of a release.
cli_of() {
  local folder=$1
  shift
  as_service "$folder/scripts/postroom" --config "$CONFIG" "$@"
}

# As the service's user: what that user has placed in its folders leads root nowhere.
as_service() {
  (cd / && setpriv --reuid="$SERVICE_USER" --regid="$SERVICE_USER" --init-groups --no-new-privs \
    env -i PATH="$PATH" LANG=C.UTF-8 HOME="$DATA" NODE_DISABLE_COMPILE_CACHE=1 "$@")
}

# $1: the release; $2: seconds, where not those of this run.
is_ready() {
  cli_of "$1" ready --within "${2:-$READY_WITHIN}" --for "$READY_FOR" > /dev/null
}
