// The agent's own environment must be out of its jobs' sight, and on Linux every process of the same user can read what
// a program was started with. So the agent starts itself again, in place, with what it needs and nothing else.
const needed = new Set(
  [
    'PATH HOME USER LOGNAME SHELL LANG TZ TMPDIR TERM NO_COLOR FORCE_COLOR',
    'ERRAND_HOME ERRAND_DEBUG ERRAND_MARKS XDG_STATE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR',
    'DOCKER_HOST DOCKER_CONFIG DOCKER_CERT_PATH DOCKER_TLS_VERIFY',
    'NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_COMPILE_CACHE SSL_CERT_FILE SSL_CERT_DIR',
  ].flatMap((line) => line.split(' ')),
);

type Variables = Readonly<Record<string, string | undefined>>;

export function leanEnvironment(env: Variables): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => needed.has(name) || name.startsWith('LC_'));
  return Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Returns when there is nothing to drop, or where a process cannot replace itself; otherwise the program begins anew. */
export function dropEnvironment(env: Variables): void {
  const lean = leanEnvironment(env);
  if (Object.keys(lean).length === Object.keys(env).length || process.execve === undefined) return;
  process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], lean);
}
