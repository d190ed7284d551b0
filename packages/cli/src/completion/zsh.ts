import type { Completes } from '../command.ts';
import type { Grammar } from '../parse.ts';
import { completionPlan, quoted, spellings } from './plan.ts';

export function zshCompletion(grammar: Grammar): string {
  const plan = completionPlan(grammar);
  const values = [
    ...plan.exceptions.map((one) => [quoted(`${one.command} ${one.spelling}`), one.completes] as const),
    ...[...plan.values].map(([name, completes]) => [`*' ${name}'`, completes] as const),
  ].map(([pattern, completes]) => [pattern, `${candidates(completes)}; return`] as const);
  const groups = [...plan.groups].map(
    ([group, words]) => [quoted(group), `found=(${described(words)}); _describe command found; return`] as const,
  );
  const leaves = plan.commands.map((command) => {
    const words = plan.options(command).flatMap((option) => spellings(option).map((word) => ({ word, summary: option.summary })));
    const args = command.args.map((arg, index) => `(${arg.many ? '*' : index}) ${candidates(arg.completes ?? [])} ;;`).join(' ');
    const positional = args === '' ? ':' : `case $count in ${args} esac`;
    return [
      quoted(command.path.join(' ')),
      `options=(${described(words)}); [[ $cur == -* ]] || { ${positional}; return }`,
    ] as const;
  });
  const everywhere = grammar.globalOptions.flatMap((option) =>
    spellings(option).map((word) => ({ word, summary: option.summary })),
  );
  return `#compdef errand
# zsh completion for errand; made by: errand completion zsh
_errand() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} at='' word
  local -i count=0 leaf=0 i
  local -a options found
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case $word in
      (--)
        if ((i == CURRENT - 1)); then _command_names -e; else _files; fi
        return ;;
      (${plan.valued.join('|')}) ((i += 1)) ;;
      (-*) ;;
      (*)
        if ((leaf)); then ((count += 1)); else at="\${at:+$at }$word"; fi
        case $at in (${plan.commands.map((command) => quoted(command.path.join(' '))).join('|')}) leaf=1 ;; esac ;;
    esac
  done
  case "$at $prev" in
${cases(values).join('\n')}
  esac
  case $at in
${cases(leaves).join('\n')}
    (*) options=(${described(everywhere)}) ;;
  esac
  if [[ $cur == -* ]]; then _describe option options; return; fi
  case $at in
${cases(groups).join('\n')}
  esac
}
compdef _errand errand
`;
}

const cases = (rows: readonly (readonly [string, string])[]) => rows.map(([pattern, body]) => `    (${pattern}) ${body} ;;`);

const described = (words: readonly { word: string; summary: string }[]) =>
  words.map((one) => quoted(`${one.word}:${one.summary.replaceAll(':', ' -')}`)).join(' ');

function candidates(completes: Completes): string {
  if (completes === 'file') return '_files';
  if (completes === 'directory') return '_files -/';
  if (typeof completes === 'string')
    return `found=(\${(f)"$(\${words[1]} __complete ${completes} 2>/dev/null)"}); compadd -a found`;
  return completes.length === 0 ? ':' : `compadd ${completes.join(' ')}`;
}
