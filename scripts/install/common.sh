# shellcheck shell=bash
# What the ways of installing share: places, words, the release and its link. They run from the tree of a release.

OPT=/opt/postroom
ETC=/etc/postroom
DATA=/var/lib/postroom
CONFIG=$ETC/postroom.toml
UNITS=/etc/systemd/system
UNIT=$UNITS/postroom.service
CLI=/usr/local/bin/postroom
CURRENT=$OPT/current
SERVICE_USER=postroom
# The keys that releases are signed with, as the first install found them (ssh-keygen, ALLOWED SIGNERS).
SIGNERS=$ETC/release-signers
SIGNED_FOR=postroom-release
READY_WITHIN=60
# A new version that ends soon after its start has not started.
READY_FOR=3
# The tree of the version that this run installs, once it is in its place.
release=''
# The same, where this run has put it there.
staged=''

fail() {
  echo "install.sh: $1" >&2
  exit "${2:-1}"
}

say() {
  echo "== $1"
}

require_root() {
  [ "$(id -u)" -eq 0 ] || fail 'Installing on a server wants root: sudo ./install.sh ...'
  # Compiled code is a file of the release that its list does not have.
  export NODE_DISABLE_COMPILE_CACHE=1
}

# The Node of a release, and its CLI without any user of its own.
node() { node_modules/.bin/node "$@"; }

# Every file of this tree is listed and as it was made; where releases are signed here, by a key that is kept here.
# Nothing of the tree runs before that.
check_release() {
  local unlisted
  unlisted=$(find . ! -type d ! -path ./SHA256SUMS ! -path ./SHA256SUMS.sig -printf '%y  %P\n' | sort |
    comm -23 - <(sed 's/^[0-9a-f]*  /f  /' SHA256SUMS | sort))
  [ -z "$unlisted" ] || fail "Files that this release does not list, such as ${unlisted%%$'\n'*}. Nothing was changed."
  sha256sum --check --quiet --strict SHA256SUMS || fail 'This release is not whole: unpack it again. Nothing was changed.'
  if [ -e "$SIGNERS" ] && [ "$unsigned" = no ]; then check_signature; fi
  node --version > /dev/null || fail "This release is for another processor than $(uname -m). Nothing was changed."
}

check_signature() {
  command -v ssh-keygen > /dev/null || fail 'ssh-keygen is missing, which checks the signature: apt-get install openssh-client'
  [ -e SHA256SUMS.sig ] || fail "This release is not signed, and by $SIGNERS it has to be. Nothing was changed. --unsigned takes it all the same."
  ssh-keygen -q -Y verify -f "$SIGNERS" -I "$SIGNED_FOR" -n "$SIGNED_FOR" -s SHA256SUMS.sig < SHA256SUMS > /dev/null 2>&1 ||
    fail "This release is not signed by a key of $SIGNERS. Nothing was changed."
}

release_id() {
  echo "$(node -p 'JSON.parse(require("fs").readFileSync("package.json", "utf8")).version')-$(sha256sum SHA256SUMS | cut -c1-10)"
}

# Ends a run that has changed nothing that serves. Of the releases it removes what this run has put there, no earlier one.
refuse() {
  [ -z "$staged" ] || rm -rf "$staged"
  fail "$1 Nothing was changed."
}

# $1: the folder; $2: MB; $3: what wants them.
check_room() {
  local free
  free=$(free_mb "$1")
  [ "$free" -ge "$2" ] || refuse "$free MB free for $1: $3 want $2."
}

# Puts this version into $OPT/releases, and its folder into `release`. Nothing runs from it yet.
stage_release() {
  local fresh=$OPT/releases/.new sums=$PWD/SHA256SUMS
  release=$OPT/releases/$(release_id)
  if [ -d "$release" ] && (cd "$release" && sha256sum --check --status "$sums"); then return; fi
  check_room "$OPT" $(($(du -sm . | cut -f1) + 100)) 'the files of a release'
  say "puts the code into $release"
  mkdir -p "$OPT/releases"
  chmod 755 "$OPT" "$OPT/releases"
  rm -rf "$fresh"
  mkdir "$fresh"
  # Times of files are those of the installation: caches of browsers go by them.
  tar -c . | tar -x -m --no-same-owner -C "$fresh" || { rm -rf "$fresh"; fail 'The code could not be copied; what tar says above is the reason. Nothing was changed.'; }
  chown -R root:root "$fresh"
  chmod -R go=rX "$fresh"
  # Before the rename: after a power cut the files of a new folder are empty, where they were not flushed.
  sync -f "$fresh"
  rm -rf "$release"
  mv "$fresh" "$release"
  staged=$release
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
    if [ -e "$1/systemd/$unit" ]; then known_settings < "$1/systemd/$unit" | replace_file "$UNITS/$unit" 644; fi
  done
  replace_file "$CLI" 755 < "$1/scripts/install/postroom"
  sync "$OPT"
  systemctl daemon-reload
}

# Leaves out what systemd knows from 254 on alone, where it is older: each start would warn of it.
known_settings() {
  local version
  version=$(systemctl --version | awk 'NR == 1 { print int($2) }')
  if [ "$version" -ge 254 ]; then cat; else sed '/^RestartSteps=\|^RestartMaxDelaySec=/d'; fi
}

# Writes standard input to $1 with mode $2, and leaves a file alone that is the same already. At any moment, a power cut
# included, the file is the former or the new one.
replace_file() {
  local text
  text=$(mktemp)
  cat > "$text"
  if ! cmp -s "$text" "$1"; then
    install -D -o root -g root -m "$2" "$text" "$1.new"
    sync "$1.new"
    mv -f "$1.new" "$1"
  fi
  rm -f "$text"
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

stands_by() {
  [[ $(systemctl show postroom --property StatusText --value) == 'Standing by'* ]]
}

# $1: the release; $2: seconds, where not those of this run. Where another box leads in an older version, this one is ready when it stands by.
is_ready() {
  local end=$((SECONDS + ${2:-$READY_WITHIN}))
  until stands_by || cli_of "$1" ready --within 2 --for "$READY_FOR" > /dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
  done
}

start_service() {
  systemctl enable --quiet postroom
  if systemctl is-active --quiet postroom; then return; fi
  say 'starts the service'
  changed=yes
  systemctl start postroom || fail 'The service did not start. See why: journalctl -u postroom -n 50'
  is_ready "$release" || fail "The service is not ready after $READY_WITHIN s. See why: journalctl -u postroom -n 50"
}
