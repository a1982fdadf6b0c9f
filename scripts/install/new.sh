# shellcheck shell=bash
# A server that has none yet. Run again, it adds what is missing and changes nothing else.
# The arguments stand in `hostname`, `base_domain`, `owner`, `workspace`, and `init` has the flags of postroom init.

# shellcheck source=scripts/install/checks.sh
. scripts/install/checks.sh
# shellcheck source=scripts/install/next.sh
. scripts/install/next.sh

# What a run changed, for the last word.
changed=no

# $1: the folder of config and key; $2: of the data.
write_config() {
  "${@:3}" init --hostname "$hostname" --base-domain "$base_domain" --owner "$owner" --data-dir "$2" \
    "${init[@]}" --config "$1/postroom.toml"
}

# In the folder $1.
make_instance() {
  local cli=(env NODE_DISABLE_COMPILE_CACHE=1 scripts/postroom)
  write_config "$1" "$1/data" "${cli[@]}" &&
    "${cli[@]}" workspaces add "$workspace" --owner "$owner" --config "$1/postroom.toml"
}

# Makes the instance in a folder that goes: what init and workspaces add refuse is said before anything is written.
rehearse() {
  local folder said code=0
  folder=$(mktemp -d)
  said=$(make_instance "$folder" 2>&1 > /dev/null) || code=$?
  if [ "$code" -eq 0 ] && [ ! -e "$CONFIG" ]; then
    check_ports "$folder/postroom.toml"
    check_port_25_outward "$folder/postroom.toml"
  fi
  rm -rf "$folder"
  [ "$code" -eq 0 ] || fail "${said##*postroom: } Nothing was changed." 2
}

# A config that is there stays: one that says otherwise than the arguments is no mistake that is passed over.
compare_config() {
  local name is wanted differing=''
  while read -r name is; do
    case "$name" in
      hostname) wanted=$hostname ;;
      base-domain) wanted=$base_domain ;;
      owner) wanted=${is:+$owner} ;;
    esac
    if [ "$is" != "$wanted" ]; then differing+="--$name is $is there, not $wanted; "; fi
  done < <(node scripts/install/facts.js names "$CONFIG")
  [ -z "$differing" ] || fail "$CONFIG says otherwise: ${differing%; }. Nothing was changed. To keep it, give what it says. To change it, edit it and run: systemctl restart postroom. To begin anew: ./install.sh --uninstall --purge"
}

# The built-in DNS server answers for the base domain where port 53 is there for it.
choose_dns() {
  local said
  said=$(node -e '
    const socket = require("node:dgram").createSocket("udp6").once("error", ({ code }) => console.log(code));
    socket.bind(53, "::", () => socket.close());
    const server = require("node:net").createServer().once("error", ({ code }) => console.log(code));
    server.listen(53, "::", () => server.close());')
  if [ -z "$said" ]; then
    init+=(--serve-dns)
  else
    warn "port 53: ${said%%$'\n'*}. Something else answers DNS here, so each record is published by hand (docs/dns says how not to)"
  fi
}

make_user() {
  if getent passwd "$SERVICE_USER" > /dev/null; then return; fi
  say "makes the user $SERVICE_USER"
  useradd --system --user-group --home-dir "$DATA" --no-create-home --shell /usr/sbin/nologin "$SERVICE_USER"
  changed=yes
}

# The config is root's, and the service reads it by its group. The data is the service's.
make_folders() {
  install -d -o root -g "$SERVICE_USER" -m 750 "$ETC"
  install -d -o "$SERVICE_USER" -g "$SERVICE_USER" -m 700 "$DATA"
}

make_config() {
  make_folders
  if [ -e "$CONFIG" ]; then
    echo "   $CONFIG is there and stays as it is"
    return
  fi
  say "writes $CONFIG and the vault's key"
  write_config "$ETC" "$DATA" "$release/scripts/postroom" > /dev/null
  chown root:"$SERVICE_USER" "$CONFIG"
  chmod 640 "$CONFIG"
  chown "$SERVICE_USER:$SERVICE_USER" "$ETC/vault.key"
  chmod 400 "$ETC/vault.key"
  changed=yes
}

# Whom later releases have to come from: the keys of the first one that was signed.
keep_signers() {
  if [ -e "$SIGNERS" ] || [ ! -e "$release/release-signers" ]; then return; fi
  install -o root -g root -m 644 "$release/release-signers" "$SIGNERS"
}

make_workspace() {
  local there
  there=$(cli_of "$release" workspaces list --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).workspaces.length')
  [ "$there" -eq 0 ] || return 0
  say "makes the workspace $workspace, of $owner"
  cli_of "$release" workspaces add "$workspace" --owner "$owner" --verified > /dev/null
  changed=yes
}

# Another machine's backup, made by postroom backup --with-config --with-key, goes on here.
install_restored() {
  require_root
  check_release
  if [ -n "$(current_release)" ] || [ -e "$CONFIG" ]; then
    fail 'Something is installed here already; a backup is put back by postroom restore. Nothing was changed.'
  fi
  say 'checks'
  check_system
  check_memory
  check_disk
  pass_checks
  stage_release
  make_user
  make_folders
  say "puts $restore back"
  "$release/scripts/postroom" restore "$restore" --with-config "${passphrase[@]}" --config "$CONFIG" ||
    fail 'The backup was not put back; what it says above is the reason.'
  keep_signers
  use_release "$release"
  start_service
  cli_of "$release" verify-data
  read -r _ hostname < <(node scripts/install/facts.js names "$CONFIG")
  echo "Postroom ${release##*/} runs with what $restore had. Next: point the A and AAAA records of $hostname here, set the PTR record, and see postroom doctor."
}

# The installed version is this one, or none.
refuse_other() {
  if [ -n "$1" ] && [ "${1##*/}" != "$(release_id)" ]; then
    fail "Another version is installed: ${1##*/}. Nothing of it was changed. To replace it by this one: ./install.sh --upgrade"
  fi
}

# $1: the config; $2: the vault's key; the rest: the CLI. The URL goes by stdin: lists of processes show arguments.
join_as() {
  "${@:3}" box join - --vault-key "$2" --data-dir "$DATA" --config "$1" <<< "$joined"
}

# One more box of an installation: config and certificates come from its database.
install_joined() {
  local installed folder config key=$ETC/vault.key said
  require_root
  check_release
  installed=$(current_release)
  refuse_other "$installed"
  if [ "$joined" = - ]; then
    if [ -t 0 ]; then printf 'URL of the database: ' >&2; fi
    IFS= read -rs joined || fail 'No URL came.' 2
  fi
  if [ -n "$vault_key" ] && [ -e "$key" ] && ! cmp -s "$vault_key" "$key"; then
    fail "$key is there already, and is another key than $vault_key. Nothing was changed."
  fi
  folder=$(mktemp -d)
  # Of a mode that a key has to have.
  install -m 400 "${vault_key:-$key}" "$folder/vault.key" 2> /dev/null || { rm -rf "$folder"; fail "There is no $key yet. Copy that of the first box here: --vault-key FILE. Nothing was changed."; }
  say 'checks'
  config=$folder/postroom.toml
  if [ -e "$CONFIG" ]; then config=$CONFIG; fi
  if ! said=$(join_as "$config" "$folder/vault.key" env NODE_DISABLE_COMPILE_CACHE=1 scripts/postroom 2>&1); then
    rm -rf "$folder"
    fail "${said##*postroom: } Nothing was changed."
  fi
  if [ -z "$installed" ]; then
    check_system
    check_memory
    check_disk
    check_ports "$config"
    check_port_25_outward "$config"
  fi
  if [ "$failed" -gt 0 ]; then rm -rf "$folder"; fi
  pass_checks
  stage_release
  make_user
  make_folders
  if [ ! -e "$key" ]; then install -o "$SERVICE_USER" -g "$SERVICE_USER" -m 400 "$folder/vault.key" "$key"; fi
  rm -rf "$folder"
  join_as "$CONFIG" "$key" "$release/scripts/postroom"
  chown root:"$SERVICE_USER" "$CONFIG"
  chmod 640 "$CONFIG"
  keep_signers
  use_release "$release"
  start_service
  say 'the boxes'
  cli_of "$release" box list
  echo "Postroom ${release##*/} runs here as a box of the installation, with the config $CONFIG. What is missing: postroom doctor"
}

install_new() {
  local installed
  require_root
  check_release
  installed=$(current_release)
  refuse_other "$installed"
  say 'checks'
  if [ -e "$CONFIG" ]; then compare_config; else choose_dns; fi
  rehearse
  if [ -z "$installed" ]; then
    check_system
    check_memory
    check_disk
    check_name "$hostname"
    if [ -e "$CONFIG" ] && ! systemctl is-active --quiet postroom 2> /dev/null; then check_ports "$CONFIG"; fi
  fi
  pass_checks
  stage_release
  make_user
  make_config
  keep_signers
  if [ -z "$installed" ]; then changed=yes; fi
  use_release "$release"
  start_service
  make_workspace
  if [ "$changed" = no ]; then
    echo "Everything is there already: ${release##*/} runs. Nothing was changed."
    return
  fi
  say_next
}
