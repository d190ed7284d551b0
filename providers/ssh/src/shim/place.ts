/** One place: ROOT/OWNER/places/PLACE with record, epoch.N, expires.N, work and jobs. */
export const place = `
# enter OWNER PLACE: OWNER is - when nobody knows it. Fails when there is no such place.
enter() {
  place=
  if [ "$1" = - ]; then
    for found in "$root"/*/places/"$2"; do [ ! -d "$found" ] || place=$found; done
  else
    place=$root/$1/places/$2
  fi
  [ -n "$place" ] && [ -d "$place" ] && cd "$place" 2>/dev/null
}

standing() {
  enter "$1" "$2" && [ -e record ] && [ ! -e releasing ] && [ ! -e expired ] || refuse 81 gone
}

pass_fence() {
  highest epoch
  [ "$1" -ge "$highest" ] || refuse 82 "$highest"
  [ "$1" -eq "$highest" ] || raise epoch "$1" ''
}

# extend AT LEFT: AT is the caller's clock; the deadline inside is ours, in seconds that are never too few.
extend() {
  highest expires
  [ "$1" -gt "$highest" ] || return 0
  raise expires "$1" "$(($(date +%s) + ($2 + 999) / 1000 + 1))"
}

left() {
  highest expires
  deadline=0
  [ "$highest" = 0 ] || read -r deadline <"expires.$highest"
  left=$((deadline - $(date +%s)))
}

# Sees that somebody watches over the place's expiry.
guard() {
  watcher=0 watcher_started=''
  [ ! -e watch ] || read -r watcher watcher_started <watch
  ! is_alive "$watcher" "$watcher_started" || return 0
  (lead sh "$self" watch "$place") </dev/null >/dev/null 2>&1 &
}

# The process that gives the place up at its expiry, whoever is there to see it.
watch() {
  place=$1
  cd "$place" || return 0
  started $$
  printf '%s %s\\n' $$ "$started" >"tmp.$$" || return 0
  if ! ln "tmp.$$" watch 2>/dev/null; then
    read -r watcher watcher_started <watch
    if is_alive "$watcher" "$watcher_started"; then
      rm -f "tmp.$$"
      return 0
    fi
    mv "tmp.$$" watch
  fi
  rm -f "tmp.$$"
  asleep=
  trap '[ -z "$asleep" ] || kill "$asleep" 2>/dev/null; exit 0' TERM
  while [ -e "$place/record" ]; do
    read -r watcher watcher_started <"$place/watch"
    [ "$watcher" = $$ ] || return 0
    left
    if [ "$left" -le 0 ]; then
      : >expired
      # A renewal that came meanwhile either is seen here or sees the mark.
      left
      [ "$left" -gt 0 ] || { trap '' TERM; remove; return 0; }
      rm -f expired
    fi
    [ "$left" -le 60 ] || left=60
    sleep "$left" &
    asleep=$!
    wait "$asleep"
  done
}

# Ends every job of the place we are in, moves it out of sight and removes it.
remove() {
  for job in jobs/*/; do
    job=\${job%/}
    [ ! -e "$job/claim" ] || end_job "$job"
  done
  watcher=0 watcher_started=''
  [ ! -e watch ] || read -r watcher watcher_started <watch
  ! is_alive "$watcher" "$watcher_started" || [ "$watcher" = $$ ] || kill -s TERM "$watcher" 2>/dev/null
  owner=\${place%/places/*}
  cd "$root" || return 1
  mkdir -p "$owner/gone" && mv "$place" "$owner/gone/\${place##*/}.$$" 2>/dev/null || [ ! -e "$place" ] || return 1
  remove_gone "$owner" "\${place##*/}"
}

# remove_gone OWNER-DIRECTORY PLACE: PLACE may be a pattern. What a removal that died has left. Empty directories go with it.
remove_gone() {
  whole=0
  for found in "$1/gone/"$2.*; do
    [ ! -e "$found" ] || discard "$found" || whole=1
  done
  rmdir "$1/gone" "$1/places" "$1" 2>/dev/null
  return "$whole"
}
`;
