import { shimName, shimText } from './shim/text.ts';

const tools = ['awk', 'cat', 'chmod', 'date', 'dd', 'grep', 'ln', 'mkdir', 'mkfifo', 'mv', 'ps', 'rm', 'rmdir', 'sleep', 'wc'];

// In one line and without `!` or double meanings of quotes, because a login shell of any kind reads it first. A file that
// came in part only is not taken: its size is known. Answers with the tools that are missing.
const script = [
  'umask 077',
  'mkdir -p "$1" && cd "$1" || exit 91',
  'if [ -f "$2" ]; then cat >/dev/null; else cat >"tmp.$$" && [ "$(wc -c <"tmp.$$")" -eq "$3" ] && mv "tmp.$$" "$2" || exit 92; fi',
  'echo errand-shim ok',
  `for tool in ${tools.join(' ')}; do command -v $tool >/dev/null 2>&1 || echo $tool; done`,
  'command -v setsid >/dev/null 2>&1 || command -v perl >/dev/null 2>&1 || echo setsid',
].join('; ');

/** The shim's text comes on stdin. May be repeated, also by two at the same time. */
export function installCommand(root: string): string {
  return `exec sh -c '${script}' sh ${root} ${shimName} ${Buffer.byteLength(shimText)}`;
}
