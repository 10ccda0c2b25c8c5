#!/bin/sh
# What "holdpoint attach" has Claude Code run: takes what Claude Code says to the gateway, and what the gateway answers to
# Claude Code. In the shell because that is quick: Node needs longer to begin than all of this. hook.js does the same where
# there is no curl.
#
#   hook.sh --data <folder> --node <program> --parent <pid> [--life | --before <text>]
#
# Whatever goes wrong: no word, and exit code 0 (Claude Code takes 2 for a no). The terminal then decides by itself. The hook
# before a call (--before) always prints: the gateway's words, the given text if no gateway has heard of the call, or a no;
# also a no if the gateway cannot read the call.
# If it cannot, its exit code is a no.
code=0
[ "$7" != --before ] || code=2
trap 'exit $code' EXIT
trap '' PIPE
exec 2>/dev/null
# Bytes, not characters.
LC_ALL=C
# The agent works here, and can put a curl of its own wherever it may write, and a function into the environment. So what
# runs is the system's; where that has no curl, our own Node.
PATH=/usr/bin:/bin
unset -f cat command curl date echo kill leave printf sleep
unset LD_LIBRARY_PATH LD_PRELOAD
data=$2 node=$4 parent=$6
url="http://holdpoint/hook?pid=$$&parent=$parent"

# What to print without an answer.
words= lost= unread=
if [ "$7" = --before ]; then
  words=$8
  # A call that a gateway has begun to look at must not run because that gateway is gone. The same stands in run-hook.ts.
  lost='{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Holdpoint stopped before this call was decided. Nobody refused it. Try again."}}'
  # Nobody knows what rules say of a call that cannot be read: half a character, or an input that is too large.
  unread='{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Holdpoint cannot read this call, so it was not allowed. Its input is too large or has characters that are not valid Unicode."}}'
fi
leave() {
  [ -z "$words" ] || printf '%s\n' "$words"
  code=0
  exit
}

if ! command -v curl >/dev/null; then
  case $node in /*) [ -x "$node" ] || leave ;; *) leave ;; esac
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
    0:*200) words=${reply%200}; leave ;;
    0:*400 | 0:*413) words=$unread; leave ;;
    # Somebody was there, and broke off or could not do it now.
    0:*409 | 0:*429 | 0:*5?? | 18:* | 52:* | 55:* | 56:*) heard=yes words=$lost ;;
    # Nobody is there. Never heard of by a gateway, it is the terminal's alone.
    7:* | 28:*) [ "$heard" ] || leave ;;
    *) leave ;;
  esac
  # Kept for two seconds (of three whole ones), it shows that the gateway was well until then.
  # shellcheck disable=SC2086
  [ $(($(date +%s) - began)) -lt 3 ] || set -- $pauses
  [ $# -gt 0 ] || leave
  sleep "$1"
  shift
  # Killed, Claude Code ended nothing that it had started.
  kill -0 "$parent" || exit 0
  began=$(date +%s)
done
