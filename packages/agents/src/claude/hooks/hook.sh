#!/bin/sh
# What "holdpoint attach" has Claude Code run: takes what Claude Code says to the gateway, and what the gateway answers to
# Claude Code. In the shell because that is quick: Node needs longer to begin than all of this. hook.js does the same where
# there is no curl.
#
#   hook.sh --data <folder> --node <program> --parent <pid> [--life]
#
# Whatever goes wrong: no word, and exit code 0 (Claude Code takes 2 for a no). The terminal then decides by itself.
trap 'exit 0' EXIT
trap '' PIPE
exec 2>/dev/null
# Bytes, not characters.
LC_ALL=C
# The agent works here, and can put a curl of its own wherever it may write, and a function into the environment. So what
# runs is the system's; where that has no curl, our own Node.
PATH=/usr/bin:/bin
unset -f cat command curl date echo kill printf sleep
unset LD_LIBRARY_PATH LD_PRELOAD
data=$2 node=$4 parent=$6
url="http://holdpoint/hook?pid=$$&parent=$parent"

if ! command -v curl >/dev/null; then
  case $node in /*) [ -x "$node" ] || exit 0 ;; *) exit 0 ;; esac
  unset NODE_OPTIONS NODE_PATH
  exec "$node" "${0%/*}/hook.js" "$@"
fi

# Nothing of the user's own settings for curl counts: -q comes first, or it is not heeded.
call() {
  command curl -q --silent --noproxy '*' --proto =http --http1.1 --unix-socket "$data/hook.sock" --connect-timeout 1 \
    --max-filesize 33554432 -H "@$data/hook-credential" -H 'Content-Type: application/json' -H 'Expect:' \
    --data-binary @- "$@"
}

if [ "$7" = --life ]; then
  call --max-time 0.3 --output /dev/null "$url"
  exit 0
fi

# The dot keeps the line ends before it, which the shell would drop.
input=$(cat; echo .)
input=${input%.}
began=$(date +%s)
# The same request again has the same id: it stays one ask.
url="$url&request=$$-$began"
pauses='0.1 0.2 0.4 0.8 1.6 2 2 2 2 2'
# shellcheck disable=SC2086
set -- $pauses
heard=
while :; do
  # Into a variable first: a reply that breaks off is none.
  reply=$(printf %s "$input" | call --write-out '%{http_code}' "$url")
  case $?:$reply in
    0:*200) printf '%s\n' "${reply%200}"; exit 0 ;;
    # Somebody was there, and broke off or could not do it now.
    0:*409 | 0:*429 | 0:*5?? | 18:* | 52:* | 55:* | 56:*) heard=yes ;;
    # Nobody is there. Never heard of by a gateway, it is the terminal's alone.
    7:* | 28:*) [ "$heard" ] || exit 0 ;;
    *) exit 0 ;;
  esac
  # Kept for two seconds (of three whole ones), it shows that the gateway was well until then.
  # shellcheck disable=SC2086
  [ $(($(date +%s) - began)) -lt 3 ] || set -- $pauses
  [ $# -gt 0 ] || exit 0
  sleep "$1"
  shift
  # Killed, Claude Code ended nothing that it had started.
  kill -0 "$parent" || exit 0
  began=$(date +%s)
done
