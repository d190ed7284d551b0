/** One job: its files, what became of it, and the process that keeps it. The directory is jobs/JOB of its place. */
export const job = `
# load DIRECTORY: who keeps the job, and its main process.
load() {
  keeper=0 keeper_started='' main=0 main_started=''
  [ ! -e "$1/claim" ] || read -r keeper keeper_started <"$1/claim"
  [ ! -e "$1/main" ] || read -r main main_started <"$1/main"
  name=\${1##*/}
  [ "$name" != . ] || name=\${PWD##*/}
  mark="ERRAND_MARK=$place/$name;"
  leader=0
  ! is_alive "$main" "$main_started" || leader=$main
}

# conclude DIRECTORY KIND VALUE STARTED ENDED: the first one stands. VALUE may hold spaces.
conclude() {
  printf '%s\\n' "$2" "$3" "$4" "$5" >"$1/tmp.$$" && ln "$1/tmp.$$" "$1/exit" 2>/dev/null
  rm -f "$1/tmp.$$"
}

# settle DIRECTORY: concludes a job whose keeper died, once nothing of it is alive. Fails while it goes on.
settle() {
  [ ! -e "$1/exit" ] || return 0
  load "$1"
  ! is_alive "$keeper" "$keeper_started" || return 1
  [ ! -e "$1/exit" ] || return 0
  scan "$mark" "$leader"
  [ "$group" = 0 ] && [ -z "$others" ] || return 1
  conclude "$1" lost "its keeper (process $keeper) is gone, and no exit was recorded" 0 0
}

# end_job DIRECTORY: by force, until it is concluded.
end_job() {
  rounds=0
  until settle "$1"; do
    signal KILL "$mark" "$leader"
    rounds=$((rounds + 1))
    # A keeper that lives on without its job hangs in something; nothing of the job is alive.
    [ "$rounds" -lt 200 ] || kill -s KILL "$keeper" 2>/dev/null
    nap 0.05
  done
}

# Ends the timer and what it sleeps in.
timer() {
  trap 'kill "$asleep" 2>/dev/null; exit 0' TERM
  sleep "$1" 2>/dev/null &
  asleep=$!
  wait "$asleep" || { sleep "$2" & asleep=$!; wait "$asleep"; }
  : >timed-out
  signal TERM "$mark" "$main"
  sleep "$3" 2>/dev/null &
  asleep=$!
  wait "$asleep" || { sleep "$4" & asleep=$!; wait "$asleep"; }
  signal KILL "$mark" "$main"
}

# seconds MILLISECONDS: "exact" with a fraction, "whole" rounded up.
seconds() {
  whole=$((($1 + 999) / 1000))
  fraction=$(($1 % 1000 + 1000))
  exact=$(($1 / 1000)).\${fraction#1}
}

# What is left of the job after its main process ended: asked, and forced after the grace.
end_rest() {
  signal TERM "$mark" "$main" || return 0
  patience=$(($1 / 50 + 1))
  while [ "$patience" -gt 0 ]; do
    nap 0.05
    scan "$mark" "$main"
    [ "$group" = 1 ] || [ -n "$others" ] || return 0
    patience=$((patience - 1))
  done
  while signal KILL "$mark" "$main"; do nap 0.05; done
}

# The output goes through pipes, so that a job may open /dev/stdout anew. The writers end when the last holder of a pipe
# does; one that could not be found as the job's is not waited for.
end_output() {
  patience=500
  until [ -e out.written ] && [ -e err.written ]; do
    patience=$((patience - 1))
    [ "$patience" -gt 0 ] || { kill "$out_writer" "$err_writer" 2>/dev/null; return 0; }
    nap 0.01
  done
}

# keep OWNER PLACE JOB EPOCH TIMEOUT GRACE CANCELLED: starts the job once and sees it to its end. Reads one line, the
# record, and then the script that becomes the job; secrets are in there and nowhere else.
keep() {
  IFS= read -r record || refuse 87 'the request was cut off'
  spec=$(cat)
  case $spec in *'#errand-end') ;; *) refuse 87 'the request was cut off' ;; esac
  standing "$1" "$2"
  pass_fence "$4"
  mkdir -p "jobs/$3" || refuse 84 "cannot write in $place"
  cd "jobs/$3" || refuse 84 "cannot write in $place"
  started $$
  printf '%s\\n' "$record" >"tmp.$$" && mv "tmp.$$" record || refuse 84 "cannot write in $PWD"
  printf '%s %s\\n' $$ "$started" >"tmp.$$" || refuse 84 "cannot write in $PWD"
  if ! ln "tmp.$$" claim 2>/dev/null; then
    rm -f "tmp.$$"
    [ -e claim ] || refuse 84 "cannot link in $PWD"
    adopt
    return
  fi
  rm -f "tmp.$$"
  cd "$place" && highest epoch && cd "jobs/$3" || refuse 81 gone
  if [ "$4" -lt "$highest" ]; then
    conclude . lost 'it was never started: another holder came meanwhile' 0 0
    refuse 82 "$highest"
  fi
  if [ "$7" = 1 ] || [ -e ask ] || [ -e force ]; then
    conclude . signalled SIGTERM 0 0
    ok
    return
  fi
  if [ -e "$place/releasing" ] || [ -e "$place/expired" ]; then
    conclude . lost 'it was never started: its place was given up' 0 0
    refuse 81 gone
  fi
  : >>out && : >>err && mkfifo out.pipe err.pipe 2>/dev/null || {
    conclude . lost 'it was never started: its files could not be made' 0 0
    refuse 84 "cannot make a pipe in $PWD"
  }
  { cat <out.pipe >>out; echo $? >out.written; } >/dev/null 2>&1 &
  out_writer=$!
  { cat <err.pipe >>err; echo $? >err.written; } >/dev/null 2>&1 &
  err_writer=$!
  exec 3>out.pipe 4>err.pipe
  rm -f out.pipe err.pipe
  mark="ERRAND_MARK=$place/$3;"
  millis
  begun=$millis
  (
    exec </dev/null >&3 2>&4 3>&- 4>&-
    cd "$place/work" || exit 126
    umask "$umask_was"
    unset SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_ORIGINAL_COMMAND
    export "$mark"
    eval "$spec"
  ) &
  main=$!
  exec 3>&- 4>&-
  spec=
  started "$main"
  printf '%s %s\\n' "$main" "$started" >"tmp.$$" && mv "tmp.$$" main
  ok
  exec </dev/null >/dev/null 2>&1
  timer=
  if [ "$5" -gt 0 ]; then
    seconds "$5"
    after=$exact after_whole=$whole
    seconds "$6"
    timer "$after" "$after_whole" "$exact" "$whole" &
    timer=$!
  fi
  wait "$main"
  status=$?
  millis
  [ -z "$timer" ] || kill "$timer" 2>/dev/null
  end_rest "$6"
  end_output
  # Some shells say 256+n for a signal.
  [ "$status" -le 256 ] || status=$((status - 128))
  verdict
  conclude . "$kind" "$value" "$begun" "$millis"
}

# Shells say 128+n for an end by signal n, and for an exit of 128+n. Only where we sent it is it told as a signal.
verdict() {
  kind=exited value=$status
  if [ -e timed-out ]; then kind=timed-out
  elif [ -e "$place/expired" ] && [ "$status" -gt 128 ]; then kind=lost value='its place expired'
  elif [ "$status" = 137 ] && [ -e force ]; then kind=signalled value=SIGKILL
  elif [ "$status" = 143 ] && { [ -e ask ] || [ -e force ]; }; then kind=signalled value=SIGTERM
  fi
  read -r out_status <out.written && read -r err_status <err.written || return 0
  [ "$out_status$err_status" = 00 ] || { kind=unwritten value='its output could not be written down'; }
}

# Somebody else has the claim: answered when the command runs or has ended.
adopt() {
  patience=600
  until [ -e main ] || [ -e exit ] || settle .; do
    patience=$((patience - 1))
    [ "$patience" -gt 0 ] || refuse 83 'another start of the same job hangs'
    nap 0.05
  done
  ok
}
`;
