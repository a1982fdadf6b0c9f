# shellcheck shell=bash
# What is looked at before anything is changed. `failed` counts what stands in the way.

MEMORY_MB=480
DISK_MB=1500
failed=0

good() { echo "   ok    $1"; }
bad() {
  echo "   FAIL  $1"
  failed=$((failed + 1))
}
warn() { echo "   warn  $1"; }

os_release() {
  sed -n "s/^$1=//p" /etc/os-release | tr -d "\"'"
}

check_system() {
  local id='' version='' name='an unknown system'
  if [ -r /etc/os-release ]; then
    id=$(os_release ID)
    version=$(os_release VERSION_ID)
    name=$(os_release PRETTY_NAME)
  fi
  case "$id ${version%%.*}" in
    'debian 12' | 'debian 13' | 'ubuntu 24') good "$name" ;;
    *) bad "$name: Debian 12, Debian 13 and Ubuntu 24.04 are what it is made for. On others: postroom init, systemd/postroom.service" ;;
  esac
  local tool
  for tool in systemctl setpriv useradd tar sha256sum systemd-notify; do
    command -v "$tool" > /dev/null || bad "$tool is missing (Debian packages: util-linux passwd tar coreutils systemd)"
  done
}

check_memory() {
  local total
  total=$(($(awk '/^MemTotal:/ { print $2 }' /proc/meminfo) / 1024))
  if [ "$total" -lt "$MEMORY_MB" ]; then
    bad "$total MB of memory: the daemon alone wants $MEMORY_MB"
  elif [ "$total" -lt 900 ]; then
    warn "$total MB of memory: enough for little mail; 1 GB is better"
  else
    good "$total MB of memory"
  fi
}

# The file system that $1 will be on.
free_mb() {
  local folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  df --output=avail -m "$folder" | tail -1 | tr -d ' '
}

check_disk() {
  local folder free
  for folder in "$OPT" "$DATA"; do
    free=$(free_mb "$folder")
    if [ "$free" -lt "$DISK_MB" ]; then
      bad "$free MB free for $folder: it wants $DISK_MB"
    else
      good "$free MB free for $folder"
    fi
  done
}

# Of the config $1.
check_ports() {
  local port key state
  while read -r port key state; do
    case "$state" in
      free) good "port $port is free ($key)" ;;
      *) bad "port $port: $state ($key). See what listens there: ss -ltnp 'sport = :$port' (a mail server: apt-get remove exim4 postfix; a web server: --behind-proxy)" ;;
    esac
  done < <(node scripts/install/facts.js ports "$1")
}

check_port_25_outward() {
  if node scripts/install/facts.js outward "$1"; then
    good 'port 25 is open outward'
  else
    warn 'port 25 is closed outward: mail comes in, and none goes out until your provider opens it, or [outbound] smarthost names a relay (docs/smarthost)'
  fi
}

# cloud-init and Debian's installer write the machine's own name into /etc/hosts, with a loopback address.
check_name() {
  if getent ahosts "$1" | grep -vE '^(127\.|::1 )' > /dev/null; then
    good "$1 resolves"
  else
    warn "$1 has no address yet: publish its A record (below)"
  fi
}

pass_checks() {
  [ "$failed" -eq 0 ] || fail "$failed of the checks failed. Nothing was changed."
}
