/** Which processes there are and which of them are a job's. */
export const processes = `
linux=
if [ -r /proc/self/stat ] && [ -r /proc/sys/kernel/random/boot_id ]; then
  linux=1
  read -r boot </proc/sys/kernel/random/boot_id
fi

# started PID: sets "started" to what a recycled pid would have differently; fails when there is no such process.
started() {
  started=
  if [ -n "$linux" ]; then
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
    set -- \${line##*) }
    case \${1-Z} in Z | X) return 1 ;; esac
    shift 19
    started=$boot:$1
  else
    started=$(LC_ALL=C ps -o lstart= -p "$1" 2>/dev/null)
    [ -n "$started" ]
  fi
}

is_alive() { [ "$1" -gt 0 ] && started "$1" && [ "$started" = "$2" ]; }

# scan MARK LEADER: sets "others" to the pids of the job's processes outside the leader's group and "group" to 1 when
# there are some inside. By group, session and parentage, and by the mark for those that left all of these. LEADER is 0
# when it is dead: a group of that number may be a stranger's by now.
scan() {
  marked=
  if [ -n "$linux" ]; then
    marked=$(grep -lzF -e "$1" /proc/[0-9]*/environ 2>/dev/null)
    marked=$(echo $marked)
  fi
  others=$(
    if [ -n "$linux" ]; then
      cat /proc/[0-9]*/stat 2>/dev/null | awk '{ pid = $1; if (sub(/^[0-9]+ \\(.*\\) /, "")) print pid, $1, $2, $3, $4 }'
    else
      ps -A -o pid= -o stat= -o ppid= -o pgid= -o sess=
    fi | awk -v leader="$2" -v marked="$marked" '
      BEGIN { n = split(marked, list, " "); for (i = 1; i <= n; i++) { split(list[i], part, "/"); ours[part[3]] = 1 } }
      $2 !~ /^[ZX]/ {
        alive[$1] = 1; parent[$1] = $3; group[$1] = $4
        if (leader > 0 && ($4 == leader || $5 == leader)) ours[$1] = 1
      }
      END {
        do { grown = 0; for (p in alive) if (!(p in ours) && (parent[p] in ours)) { ours[p] = 1; grown = 1 } } while (grown)
        inside = 0; text = ""
        for (p in ours) if (p in alive) { if (leader > 0 && group[p] == leader) inside = 1; else text = text " " p }
        print inside text
      }'
  )
  group=\${others%% *}
  others=\${others#"$group"}
}

# signal NAME MARK LEADER: fails when nobody is there. The whole group at once, so that one that forks does not slip through.
signal() {
  scan "$2" "$3"
  [ "$group" = 1 ] || [ -n "$others" ] || return 1
  [ "$group" = 0 ] || kill -s "$1" -- "-$3" 2>/dev/null
  [ -z "$others" ] || kill -s "$1" $others 2>/dev/null
  # A stopped process would sit on the request for ever.
  if [ "$1" = TERM ]; then
    [ "$group" = 0 ] || kill -s CONT -- "-$3" 2>/dev/null
    [ -z "$others" ] || kill -s CONT $others 2>/dev/null
  fi
  return 0
}
`;
