/** What every verb starts with: where we are, and how an answer looks. */
export const base = `# Errand's far side over SSH. One call: sh THIS VERB ARGUMENT...
# Answers "errand-shim ok", then what was asked for; or "errand-shim no CODE TEXT".
set -u
unset CDPATH
umask_was=$(umask)
umask 077
cd "\${0%/*}" || exit 90
root=$PWD
self=$root/\${0##*/}
verb=$1
shift

ok() { printf 'errand-shim ok\\n'; }
refuse() { printf 'errand-shim no %s %s\\n' "$1" "$2"; exit 1; }
# Not every sleep knows fractions.
nap() { sleep "$1" 2>/dev/null || sleep 1; }
# Milliseconds where date can tell them, else 0.
millis() {
  millis=$(date +%s%3N)
  case $millis in *[!0-9]*) millis=0 ;; esac
}

# A new session, so that nothing which ends the connection reaches it.
# Found now: a job may bring a PATH of its own.
if setsid=$(command -v setsid); then
  lead() { exec "$setsid" -- "$@"; }
else
  perl=$(command -v perl)
  lead() { exec "$perl" -e 'use POSIX; setsid(); exec { $ARGV[0] } @ARGV or exit($!{ENOENT} ? 127 : 126)' "$@"; }
fi

# Removes a tree in which a job may have made directories read-only.
discard() {
  rm -rf "$1" 2>/dev/null
  [ -e "$1" ] || return 0
  chmod -R u+rwx "$1" 2>/dev/null
  rm -rf "$1" 2>/dev/null
  [ ! -e "$1" ]
}

# The highest N of the files WHAT.N; 0 when there is none.
highest() {
  highest=0
  for file in "$1".*; do
    number=\${file##*.}
    case $number in '' | *[!0-9]*) continue ;; esac
    [ "$number" -le "$highest" ] || highest=$number
  done
}

# raise WHAT N TEXT: numbers only ever rise, as names of files, so two who write at once cannot undo each other.
raise() {
  printf '%s\\n' "$3" >"tmp.$$" && mv "tmp.$$" "$1.$2" || refuse 84 "cannot write in $PWD"
  for file in "$1".*; do
    number=\${file##*.}
    case $number in '' | *[!0-9]*) continue ;; esac
    [ "$number" -ge "$2" ] || rm -f "$file"
  done
}

# Goes until our caller hangs up: then stdin ends.
leash() {
  exec 3<&0 </dev/null
  (
    cat <&3 >/dev/null
    kill -s TERM $$
  ) >/dev/null 2>&1 &
  leash=$!
  exec 3<&-
  trap 'kill "$leash" 2>/dev/null' EXIT
  trap 'exit 76' TERM
}
`;
