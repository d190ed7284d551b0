import type { Completes } from '../command.ts';
import type { Grammar } from '../parse.ts';
import { completionPlan, quoted, spellings } from './plan.ts';

/** Kept to what bash 3.2 understands, which macOS still ships. */
export function bashCompletion(grammar: Grammar): string {
  const plan = completionPlan(grammar);
  const values = [
    ...plan.exceptions.map((one) => [quoted(`${one.command} ${one.spelling}`), one.completes] as const),
    ...[...plan.values].map(([name, completes]) => [`*' ${name}'`, completes] as const),
  ].map(([pattern, completes]) => [pattern, `${candidates(completes)}; return`] as const);
  const groups = [...plan.groups].map(
    ([group, words]) => [quoted(group), `_errand_words ${quoted(words.map((one) => one.word).join(' '))}; return`] as const,
  );
  const leaves = plan.commands.map((command) => {
    const options = plan.options(command).flatMap(spellings).join(' ');
    const args = command.args.map((arg, index) => `${arg.many ? '*' : index}) ${candidates(arg.completes ?? [])} ;;`).join(' ');
    const positional = args === '' ? ':' : `case $count in ${args} esac`;
    return [quoted(command.path.join(' ')), `options=${quoted(options)}; [[ $cur == -* ]] || { ${positional}; }`] as const;
  });
  return `# bash completion for errand; made by: errand completion bash
_errand_words() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_errand_ask() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" __complete "$1" 2>/dev/null)" -- "$cur"))
}
_errand_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
_errand() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' count=0 options='' leaf=0 i word
  COMPREPLY=()
  if [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; elif [[ $cur == '=' ]]; then cur=''; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      --)
        if ((i == COMP_CWORD - 1)); then _errand_files -c; else _errand_files -f; fi
        return ;;
      ${plan.valued.join('|')})
        i=$((i + 1))
        if [[ \${COMP_WORDS[i]} == '=' ]]; then i=$((i + 1)); fi ;;
      -*) ;;
      *)
        if ((leaf)); then count=$((count + 1)); else path="\${path:+$path }$word"; fi
        case $path in ${plan.commands.map((command) => quoted(command.path.join(' '))).join('|')}) leaf=1 ;; esac ;;
    esac
  done
  case "$path $prev" in
${cases(values).join('\n')}
  esac
  case $path in
${cases(leaves).join('\n')}
    *) options=${quoted(grammar.globalOptions.flatMap(spellings).join(' '))} ;;
  esac
  if [[ $cur == -* ]]; then _errand_words "$options"; return; fi
  case $path in
${cases(groups).join('\n')}
  esac
}
complete -F _errand errand
`;
}

const cases = (rows: readonly (readonly [string, string])[]) => rows.map(([pattern, body]) => `    ${pattern}) ${body} ;;`);

function candidates(completes: Completes): string {
  if (completes === 'file') return '_errand_files -f';
  if (completes === 'directory') return '_errand_files -d';
  if (typeof completes === 'string') return `_errand_ask ${completes}`;
  return completes.length === 0 ? ':' : `_errand_words ${quoted(completes.join(' '))}`;
}
