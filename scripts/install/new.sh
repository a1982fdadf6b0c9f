# shellcheck shell=bash
# A server that has none yet. Run again, it adds what is missing and changes nothing else.

# shellcheck source=scripts/install/checks.sh
. scripts/install/checks.sh

# What a run changed, for the last word.
changed=no

make_user() {
  if getent passwd "$SERVICE_USER" > /dev/null; then return; fi
  say "makes the user $SERVICE_USER"
  useradd --system --user-group --home-dir "$DATA" --no-create-home --shell /usr/sbin/nologin "$SERVICE_USER"
  changed=yes
}

make_config() {
  install -d -o "$SERVICE_USER" -g "$SERVICE_USER" -m 750 "$ETC"
  install -d -o "$SERVICE_USER" -g "$SERVICE_USER" -m 700 "$DATA"
  if [ -e "$CONFIG" ]; then
    echo "   $CONFIG is there and stays as it is"
    return
  fi
  say "writes $CONFIG and the vault's key"
  cli_of "$release" init --hostname "$1" --base-domain "$2" --data-dir "$DATA" > /dev/null
  chown root:"$SERVICE_USER" "$CONFIG"
  chmod 640 "$CONFIG"
  chmod 400 "$ETC/vault.key"
  changed=yes
}

start_service() {
  systemctl enable --quiet postroom
  if systemctl is-active --quiet postroom; then return; fi
  say 'starts the service'
  changed=yes
  systemctl start postroom || fail 'The service did not start. See why: journalctl -u postroom -n 50'
  is_ready "$release" || fail "The service is not ready after $READY_WITHIN s. See why: journalctl -u postroom -n 50"
}

make_workspace() {
  local there
  there=$(cli_of "$release" workspaces list --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).workspaces.length')
  [ "$there" -eq 0 ] || return 0
  say "makes the workspace $2, of $1"
  cli_of "$release" workspaces add "$2" --owner "$1" --verified > /dev/null
  changed=yes
}

what_next() {
  local link
  link=$(cli_of "$release" owners sign-in-link "$3" --json 2> /dev/null | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).url' 2> /dev/null) || link=''
  say 'what doctor finds'
  cli_of "$release" doctor || true
  say "DNS records of this machine: A, AAAA and SPF where $1 is hosted, PTR at the provider of its addresses"
  cli_of "$release" dns show "$1" || true
  say "DNS records of $2: with [dns.server] listen in the config, one NS record takes their place (docs/dns)"
  cli_of "$release" dns show "$2" || true
  cat << EOF

Postroom is installed and running.

  config   $CONFIG (after a change: systemctl restart postroom)
  key      $ETC/vault.key: copy it elsewhere, apart from backups of the data; without it no secret opens
  data     $DATA
  log      journalctl -u postroom
  backup   systemctl enable --now postroom-backup.timer: one a night, verified, seven are kept

Next:
  1. Publish the records above, and have the PTR record of this machine's address set to $1.
  2. postroom doctor               what is still missing
  3. postroom agents add sales --workspace W   the first agent, with its API key
${link:+  4. Open the console, within 15 minutes and once: $link
     later: postroom owners sign-in-link $3
}
EOF
}

install_new() {
  local installed
  require_root
  require_node
  installed=$(current_release)
  if [ -z "$installed" ]; then
    say 'checks'
    check_system
    check_memory
    check_disk
    check_names "$@"
    if ! systemctl is-active --quiet postroom 2> /dev/null; then check_ports; fi
    check_port_25_outward
    pass_checks
  fi
  stage_release
  if [ -n "$installed" ] && [ "$installed" != "$release" ]; then
    fail "Another version is installed: ${installed##*/}. Nothing of it was changed. To replace it by this one: ./install.sh --upgrade"
  fi
  make_user
  make_config "$1" "$2"
  if [ -z "$installed" ]; then changed=yes; fi
  use_release "$release"
  start_service
  make_workspace "$3" "$4"
  if [ "$changed" = no ]; then
    echo "Everything is there already: ${release##*/} runs. Nothing was changed."
    return
  fi
  what_next "$1" "$2" "$3"
}
