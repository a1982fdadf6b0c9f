# shellcheck shell=bash

uninstall() {
  local purge=$1 yes=$2 answer=''
  require_root
  if [ "$purge" = yes ] && [ "$yes" = no ]; then
    printf 'All mail in %s and the keys in %s are removed for good. Type purge to go on: ' "$DATA" "$ETC" >&2
    read -r answer || true
    [ "$answer" = purge ] || fail 'Nothing was removed.'
  fi
  if [ -e "$UNIT" ]; then
    say 'stops the service'
    systemctl disable --now --quiet postroom-backup.timer || true
    systemctl disable --now --quiet postroom || true
    rm -f "$UNIT" "$UNITS/postroom-backup.service" "$UNITS/postroom-backup.timer"
    systemctl daemon-reload
  fi
  say 'removes the code'
  rm -rf "$OPT" "$CLI" /var/cache/postroom
  if [ "$purge" = no ]; then
    echo "Kept: $ETC, $DATA and the user $SERVICE_USER. To remove them too: rm -r $ETC $DATA; userdel $SERVICE_USER"
    return
  fi
  say 'removes config, keys and data'
  rm -rf "$ETC" "$DATA"
  if getent passwd "$SERVICE_USER" > /dev/null; then userdel "$SERVICE_USER"; fi
  echo 'Postroom is gone from this machine. Its DNS records are yours to remove.'
}
