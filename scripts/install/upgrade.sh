# shellcheck shell=bash
# Replaces the installed version. The new one first opens and verifies a copy of the data; where it does not become ready
# on the data itself, the old version comes back by itself.

# shellcheck source=scripts/install/checks.sh
. scripts/install/checks.sh

BACKUPS=$DATA/backups
# Of upgrades; older ones are removed.
BACKUPS_KEPT=3
RELEASES_KEPT=2

old='' before='' data_file='' backup=''
# `old` serves; `stopped`: the data is as it left it; `new`: the new version has had the data.
state=old

# The number of the last message that a data file holds.
last_message() {
  as_service "$old/node_modules/.bin/node" -e '
    const db = new (require(process.argv[1]))(process.argv[2], { readonly: true });
    console.log(db.prepare("select coalesce(max(id), 0) as last from raw_messages").get().last);' "$old/node_modules/better-sqlite3" "$1"
}

# Renames the data file $1 with its side files to $2.
move_data() {
  local side
  for side in '' -wal -shm; do
    if [ -e "$1$side" ]; then as_service mv -f "$1$side" "$2$side"; fi
  done
}

# The old version with the data as it was. Mail that the new version has taken meanwhile stays: in the data where the old
# version opens that, else in a file that is named.
go_back() {
  say "goes back to ${old##*/}"
  systemctl stop postroom || true
  if [ "$state" = new ]; then
    if [ "$(last_message "$data_file")" -gt "$(last_message "$before")" ] && cli_of "$old" migrate > /dev/null 2>&1; then
      echo "   the data stays, with the mail that has come meanwhile; as it was before: $before"
      before=''
    else
      local aside=$data_file.failed-${release##*/}
      move_data "$data_file" "$aside"
      as_service mv "$before" "$data_file"
      before=''
      echo "   the data is as it was before; what the new version had made of it: $aside"
    fi
  fi
  use_release "$old"
  systemctl reset-failed postroom || true
  systemctl start --no-block postroom || true
  if is_ready "$old" 60; then
    echo "   ${old##*/} runs again. Why the other did not: journalctl -u postroom -n 100"
  else
    echo "   ${old##*/} is not ready either: journalctl -u postroom -n 100" >&2
  fi
}

# Also where a signal or an unforeseen failure ends the script.
on_exit() {
  local code=$?
  trap - EXIT
  # A closed terminal or a second Ctrl-C must not leave the service stopped.
  trap '' HUP INT TERM PIPE
  if [ "$state" != old ]; then
    [ "$code" -ne 0 ] || code=1
    set +e
    go_back
  fi
  if [ -n "$before" ]; then as_service rm -f "$before"; fi
  exit "$code"
}

remove_older() {
  local folder kept=0
  find "$OPT/releases" -mindepth 1 -maxdepth 1 -printf '%T@ %p\n' | sort -rn | cut -d' ' -f2- | while read -r folder; do
    if [ "$folder" = "$release" ] || [ "$folder" = "$old" ]; then continue; fi
    kept=$((kept + 1))
    if [ "$kept" -gt $((RELEASES_KEPT - 2)) ]; then rm -rf "$folder"; fi
  done
  # Of runs that were killed.
  as_service find "$BACKUPS" -name 'before-*.zst.partial' -delete
  # That of this run stays, whatever the clock says.
  find "$BACKUPS" -name 'before-*.zst' ! -path "$backup" -printf '%T@ %p\n' | sort -rn | tail -n +"$BACKUPS_KEPT" | cut -d' ' -f2- |
    while read -r folder; do as_service rm -f "$folder"; done
}

# From a tarball or an unpacked tree: checked by the installer that runs, and only then by its own.
upgrade_from() {
  local file=$1 tree=$1 code=0
  if [ ! -d "$file" ]; then
    tree=$OPT/.unpacked
    rm -rf "$tree"
    mkdir -p "$tree"
    tar -x --no-same-owner --strip-components=1 -f "$file" -C "$tree" || { rm -rf "$tree"; fail "$1 cannot be unpacked. Nothing was changed."; }
  fi
  cd "$tree"
  (check_release && exec ./install.sh --upgrade "${@:2}") || code=$?
  rm -rf "$OPT/.unpacked"
  exit "$code"
}

# Has the new version try a copy of the data. Sets `said`.
try_copy() {
  backup=$BACKUPS/before-${release##*/}-$(date -u +%Y%m%dT%H%M%SZ).zst
  check_room "$DATA" $(($(stat -c %s "$data_file") * 3 / 1048576 + 300)) 'copies of the data'
  say "backs up to $backup"
  cli_of "$old" backup "$backup" > /dev/null || refuse 'The data could not be backed up.'
  say "lets ${release##*/} open and verify a copy"
  cli_of "$release" restore "$backup" --check || refuse "${release##*/} cannot use this data; ${old##*/} goes on serving."
  said=", the data as it was in $backup"
}

# Data in PostgreSQL is not copied here. The new version migrates it when it serves, and not while another box does.
try_database() {
  said=''
  say "lets ${release##*/} read config and database; a dump of the data is yours to make (docs/postgresql)"
  cli_of "$release" box list || refuse "${release##*/} cannot use this config or database; ${old##*/} goes on."
}

keep_data() {
  before=$data_file.before-upgrade
  as_service cp --preserve=mode,timestamps --reflink=auto "$data_file" "$before"
  [ ! -s "$data_file-wal" ] || fail 'The old version has not closed its data.'
}

# After the link: a machine that loses power meanwhile boots the version that opens the data.
migrate_file() {
  state=new
  say 'brings the data to the new version'
  cli_of "$release" migrate
}

upgrade() {
  require_root
  old=$(current_release)
  [ -n "$old" ] || fail 'Nothing is installed here yet: ./install.sh --hostname H --base-domain D --owner EMAIL' 1
  if [ -e "${1:-}" ]; then upgrade_from "$@"; fi
  check_release
  stage_release
  data_file=$(as_service "$release/node_modules/.bin/node" "$release/scripts/install/facts.js" data_file "$CONFIG")
  if [ "$release" = "$old" ]; then
    # What a run lacks that was cut after the link.
    use_release "$release"
    start_service
    [ -z "$data_file" ] || as_service rm -f "$data_file.before-upgrade"
    echo "${release##*/} is installed already, and runs."
    return
  fi
  as_service mkdir -p -m 700 "$BACKUPS"
  local said
  if [ -n "$data_file" ]; then try_copy; else try_database; fi
  trap on_exit EXIT
  trap 'exit 130' INT TERM
  say 'stops the service; mail that comes now is tried again by its senders'
  state=stopped
  systemctl stop postroom
  if [ -n "$data_file" ]; then keep_data; fi
  use_release "$release"
  if [ -n "$data_file" ]; then migrate_file; fi
  say "starts ${release##*/}"
  systemctl start --no-block postroom
  is_ready "$release" || fail "${release##*/} did not become ready in $READY_WITHIN s."
  state=old
  if [ -n "$before" ]; then as_service rm -f "$before"; fi
  before=''
  trap - EXIT INT TERM
  remove_older
  if stands_by; then echo 'Another box leads, in the older version. This one serves after: postroom box drain'; fi
  echo "${release##*/} runs. ${old##*/} stays in $OPT/releases$said."
}
