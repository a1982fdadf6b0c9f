# shellcheck shell=bash
# What an installation says last: what is to be done, in order, in the names of this machine.

# The address of the workspace that the first agent gets.
first_subdomain() {
  cli_of "$release" workspaces list --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).workspaces[0].subdomain'
}

say_records() {
  local zone=$1
  say "1. DNS: the addresses of $hostname, and the PTR record at the provider of this machine"
  cli_of "$release" dns show "$hostname" || true
  if grep -q '^\[dns.server\]' "$CONFIG"; then
    echo
    say "   DNS: one record for all of $base_domain, where its parent zone is hosted"
    echo "   $base_domain. NS $hostname."
    echo
    echo "   Or, without it, each record by hand, those of $zone too: postroom dns show $zone --format zone"
    return
  fi
  say "   DNS: what agents of the workspace use, where $base_domain is hosted (a zone file: --format zone)"
  cli_of "$release" dns show "$zone" || true
}

# Until DNS and the certificate are there, the console is reached through SSH.
say_console() {
  local port scheme link
  read -r port scheme < <(node scripts/install/facts.js http "$CONFIG")
  link=$(cli_of "$release" owners sign-in-link "$owner" --json 2> /dev/null | node -p 'new URL(JSON.parse(require("fs").readFileSync(0, "utf8")).url).pathname' 2> /dev/null) || return 0
  say '4. The console, now, from your own machine; the link works once, within 15 minutes'
  echo "   ssh -L 8443:localhost:$port root@$hostname"
  echo "   $scheme://localhost:8443$link"
  if [ "$scheme" = https ]; then echo '   (the browser warns of the certificate, which comes once DNS is there)'; fi
  echo "   Later: postroom owners sign-in-link $owner"
}

# The blocks of docs/tls, with this machine's name in them.
say_proxy() {
  say 'The web server in front: one of these (docs/tls)'
  sed -n '/^Caddy,/,/^What /{/^What /d;/^```/d;p}' "$release/build/server/docs/tls.md" | sed "s/^/   /;s/mx\.example\.com/$hostname/"
  cat << EOF
   Mail comes in without TLS until [tls] mode = "files" names the web server's certificate (docs/tls).

EOF
}

say_next() {
  say 'what doctor finds'
  cli_of "$release" doctor || true
  cat << EOF

Postroom ${release##*/} is installed and runs.

  config   $CONFIG (after a change: systemctl restart postroom)
  key      $ETC/vault.key: copy it elsewhere, apart from backups of the data; without it no secret opens
  data     $DATA
  log      journalctl -u postroom
  backup   systemctl enable --now postroom-backup.timer: one a night, verified, seven are kept
  signup   $(if [ -n "$opens_signup" ]; then echo "open: agents make workspaces for themselves"; else echo "closed: workspaces are made by postroom workspaces add (--open-signup opens it)"; fi)

EOF
  say_records "$(first_subdomain)"
  cat << EOF

== 2. What is still missing, at any time
   postroom doctor
== 3. The first agent of $workspace, with its API key
   postroom agents add sales --workspace $(printf %q "$workspace")
EOF
  say_console
  if [ -n "$behind_proxy" ]; then say_proxy; fi
}
