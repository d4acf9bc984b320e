#!/usr/bin/env bash
# What the tests need of the machine besides Go: a C compiler for the race detector, Redis, a browser with a Chinese font.
# Quick and quiet when all of it is there. On Debian, as root, it installs what is missing; elsewhere it says what that is.
set -euo pipefail

has() { command -v "$1" >/dev/null 2>&1; }
any() { for c in "$@"; do if has "$c"; then return 0; fi; done; return 1; }

compiler() { any "${CC:-cc}" gcc clang; }
headers() { echo '#include <stdlib.h>' | "$(command -v "${CC:-cc}" || command -v gcc || command -v clang)" -E - >/dev/null 2>&1; }
browser() { any chromium chromium-browser google-chrome google-chrome-stable chrome; }
chinese() { ! has fc-list || fc-list :lang=zh | grep -q .; }

# Every need with the Debian package that fills it.
missing() {
  compiler || echo gcc
  compiler && headers || echo libc6-dev
  has redis-server || echo redis-server
  has redis-sentinel || echo redis-sentinel
  browser || echo chromium
  browser && chinese || echo fonts-noto-cjk
}

# Installs packages without starting the services that they bring: the tests start their own, on ports of their own.
install() {
  log=$(mktemp)
  ours=()
  trap 'rm -f "$log" "${ours[@]}"' EXIT
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    ours=("$policy")
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  echo "installing: $*"
  export DEBIAN_FRONTEND=noninteractive
  if ! { apt-get update && apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "apt-get could not install: $*" >&2
    return 1
  fi
}

if ! has go; then
  echo "Go is missing: install the version that go.mod names, or a newer one (https://go.dev/dl)" >&2
  exit 1
fi
read -ra need <<<"$(missing | tr '\n' ' ')"
if [ ${#need[@]} -eq 0 ]; then
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! has apt-get; then
  echo "missing for the tests: ${need[*]} (the names of the Debian packages). Install them, or run this as root on Debian." >&2
  exit 1
fi
install "${need[@]}"
