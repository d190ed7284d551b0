/** What can be asked for. Codes of a refusal: see answer.ts. */
export const verbs = `
job_line() {
  alive=1
  ! settle "$1" || alive=0
  [ -e "$1/claim" ] || alive=0
  highest expires
  owner=\${place%/places/*}
  read -r line <"$1/record" && printf '%s %s %s %s %s\\n' "$alive" "$highest" "\${owner##*/}" "\${place##*/}" "\${1##*/} $line"
}

case $verb in
acquire) # OWNER PLACE EPOCH EXPIRES LEFT, the record on stdin
  record=$(cat)
  case $record in *'}') ;; *) refuse 87 'the request was cut off' ;; esac
  mkdir -p "$root/$1/places/$2" 2>/dev/null || mkdir -p "$root/$1/places/$2" || refuse 84 "cannot write in $root"
  enter "$1" "$2" || refuse 83 releasing
  [ ! -e releasing ] && [ ! -e expired ] || refuse 83 releasing
  [ -d work ] || mkdir work 2>/dev/null || [ -d work ] || refuse 84 "cannot write in $place"
  pass_fence "$3"
  extend "$4" "$5"
  if [ ! -e record ]; then
    printf '%s\\n' "$record" >"tmp.$$" || refuse 84 "cannot write in $place"
    ln "tmp.$$" record 2>/dev/null
    rm -f "tmp.$$"
  fi
  [ -e "$place/record" ] && [ ! -e releasing ] && [ ! -e expired ] || refuse 83 releasing
  guard
  ok
  cat record
  ;;
renew) # OWNER PLACE EPOCH EXPIRES LEFT
  standing "$1" "$2"
  pass_fence "$3"
  extend "$4" "$5"
  [ ! -e expired ] || refuse 81 gone
  guard
  ok
  ;;
release) # OWNER PLACE EPOCH
  if enter "$1" "$2"; then
    pass_fence "$3"
    : >releasing
    remove || refuse 84 "cannot remove all of $place"
  fi
  for found in "$root"/*/gone; do
    [ ! -d "$found" ] || remove_gone "\${found%/gone}" "$2" || refuse 84 "cannot remove all of $found"
  done
  ok
  ;;
unpack) # OWNER PLACE EPOCH TAG, an archive on stdin
  standing "$1" "$2"
  pass_fence "$3"
  command -v tar >/dev/null 2>&1 || refuse 85 tar
  for found in work.new-* work.old-*; do [ ! -e "$found" ] || discard "$found"; done
  mkdir "work.new-$4" && cd "work.new-$4" || refuse 84 "cannot write in $place"
  said=$(tar -x -o -p -f - 2>&1) || refuse 86 "$(echo $said)"
  ok
  ;;
show) # OWNER PLACE EPOCH TAG
  standing "$1" "$2"
  pass_fence "$3"
  [ -d "work.new-$4" ] || refuse 86 'what was sent is gone'
  trap '' HUP INT TERM
  mv work "work.old-$4" && mv "work.new-$4" work || refuse 86 'the workspace could not be replaced'
  ok
  discard "work.old-$4"
  ;;
collect) # OWNER PLACE, "set -- PATH..." on stdin
  standing "$1" "$2"
  wanted=$(cat)
  case $wanted in *'#errand-end') ;; *) refuse 87 'the request was cut off' ;; esac
  command -v tar >/dev/null 2>&1 || refuse 85 tar
  cd work || refuse 86 'it has no workspace'
  eval "$wanted"
  ok
  # A path that is not there is left out; without any there is no archive.
  count=$#
  while [ "$count" -gt 0 ]; do
    if [ -e "$1" ] || [ -L "$1" ]; then set -- "$@" "$1"; fi
    shift
    count=$((count - 1))
  done
  [ $# -gt 0 ] || exit 77
  tar -c -f - "$@" 2>/dev/null
  ;;
inventory) # OWNER: lines of ALIVE EXPIRES PLACE RECORD
  ok
  for found in "$root/$1"/places/*/; do
    found=\${found%/}
    enter "$1" "\${found##*/}" && [ -e record ] || continue
    alive=1
    if [ -e releasing ] || [ -e expired ]; then alive=0; else guard; fi
    highest expires
    read -r line <record && printf '%s %s %s %s\\n' "$alive" "$highest" "\${place##*/}" "$line"
  done
  cd "$root" && remove_gone "$root/$1" '*'
  ;;
find) # lines of ALIVE EXPIRES OWNER PLACE JOB RECORD, of every owner
  ok
  for found in "$root"/*/places/*/; do
    place=\${found%/}
    cd "$place" 2>/dev/null || continue
    for job in jobs/*/; do [ ! -e "$job/claim" ] || job_line "\${job%/}"; done
  done
  ;;
locate) # JOB: lines of OWNER PLACE
  ok
  for found in "$root"/*/places/*/jobs/"$1"; do
    [ -d "$found" ] || continue
    place=\${found%/jobs/*}
    owner=\${place%/places/*}
    printf '%s %s\\n' "\${owner##*/}" "\${place##*/}"
  done
  ;;
start) # OWNER PLACE JOB EPOCH TIMEOUT GRACE CANCELLED, the request on stdin
  standing "$1" "$2"
  pass_fence "$4"
  guard
  exec 3<&0
  { (lead sh "$self" keep "$@" <&3 3<&-) & } | cat
  ;;
keep)
  keep "$@"
  ;;
watch)
  watch "$@"
  ;;
stop) # OWNER PLACE JOB HOW EPOCH
  enter "$1" "$2" && [ -e record ] || { ok; exit 0; }
  pass_fence "$5"
  mkdir -p "jobs/$3" && { [ -e "jobs/$3/exit" ] || : >"jobs/$3/$4"; } || refuse 84 "cannot write in $place"
  word=TERM
  [ "$4" = ask ] || word=KILL
  patience=40
  while [ -e "jobs/$3/claim" ] && [ ! -e "jobs/$3/exit" ] && [ "$patience" -gt 0 ]; do
    load "jobs/$3"
    signal "$word" "$mark" "$leader"
    told=$?
    # One that is just being started is waited for; one that was forced is looked at again.
    if [ "$main" = 0 ] && is_alive "$keeper" "$keeper_started"; then :
    elif [ "$4" = ask ] || [ "$told" != 0 ]; then break
    fi
    patience=$((patience - 1))
    nap 0.05
  done
  ok
  ;;
wait) # OWNER PLACE JOB ONCE: the exit's lines; with ONCE, exit 75 when it goes on
  enter "$1" "$2" && cd "jobs/$3" 2>/dev/null || refuse 81 gone
  [ "$4" = 1 ] || leash
  rounds=0
  until [ -e exit ]; do
    [ -d "$place/jobs/$3" ] || refuse 81 gone
    if [ ! -e claim ]; then
      if [ -e ask ] || [ -e force ]; then ok; printf '%s\\n' signalled SIGTERM 0 0; exit 0; fi
      refuse 88 'it was never started'
    fi
    [ "$((rounds % 20))" -gt 0 ] || ! settle . || break
    rounds=$((rounds + 1))
    [ "$4" = 0 ] && [ "$rounds" -lt 3000 ] || { ok; exit 75; }
    if [ "$rounds" -lt 40 ]; then nap 0.05; else nap 0.2; fi
  done
  ok
  cat exit
  ;;
follow) # OWNER PLACE JOB OUT ERR ONCE: its output as ours from these positions on; exit 75 when it goes on
  enter "$1" "$2" && cd "jobs/$3" 2>/dev/null || refuse 81 gone
  [ "$6" = 1 ] || leash
  ok
  ok >&2
  skip() { [ "$1" = 0 ] || { dd bs=65536 count="$(($1 / 65536))" && { [ "$(($1 % 65536))" = 0 ] || dd bs="$(($1 % 65536))" count=1; }; } >/dev/null 2>&1; }
  opened=
  rounds=0
  while :; do
    ended=
    [ ! -e exit ] || ended=1
    if [ -z "$opened" ] && [ -e err ]; then
      exec 5<out 6<err
      skip "$4" <&5
      skip "$5" <&6
      opened=1
    fi
    if [ -n "$opened" ]; then
      cat <&5
      cat <&6 >&2
    fi
    [ -z "$ended" ] || exit 0
    [ -d "$place/jobs/$3" ] && [ -e claim ] || exit 78
    [ "$((rounds % 40))" -gt 0 ] || ! settle . || continue
    rounds=$((rounds + 1))
    [ "$6" = 0 ] && [ "$rounds" -lt 9000 ] || exit 75
    nap 0.05
  done
  ;;
*)
  refuse 89 "unknown verb $verb"
  ;;
esac
`;
