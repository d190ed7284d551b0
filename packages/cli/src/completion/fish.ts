import type { Completes, OptionSpec } from '../command.ts';
import type { Grammar } from '../parse.ts';
import { completionPlan, quoted } from './plan.ts';

export function fishCompletion(grammar: Grammar): string {
  const plan = completionPlan(grammar);
  const lines = [...plan.groups].flatMap(([group, words]) =>
    words.map(
      (one) => `complete -c errand -f -n ${quoted(`__errand_at ${group}`.trim())} -a ${one.word} -d ${quoted(one.summary)}`,
    ),
  );
  for (const command of plan.commands) {
    const path = command.path.join(' ');
    for (const [index, arg] of command.args.entries()) {
      const where = arg.many ? `__errand_in ${path}` : `__errand_after ${index} ${path}`;
      lines.push(`complete -c errand -n '${where}' ${candidates(arg.completes ?? [])}`);
    }
    lines.push(...command.options.map((option) => `complete -c errand -n '__errand_in ${path}' ${optionWords(option)}`));
  }
  lines.push(...grammar.globalOptions.map((option) => `complete -c errand -n __errand_in ${optionWords(option)}`));
  return `# fish completion for errand; made by: errand completion fish
# The words of the command so far, options and their values left out; fails after --.
function __errand_words
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case --
                return 1
            case ${plan.valued.join(' ')}
                set skip 1
            case '-*'
            case '*'
                echo $word
        end
    end
    return 0
end
function __errand_at
    set -l words (__errand_words); or return 1
    test "$words" = "$argv"
end
function __errand_in
    set -l words (__errand_words); or return 1
    test (count $argv) -eq 0; and return 0
    test (count $words) -ge (count $argv); and test "$words[1..(count $argv)]" = "$argv"
end
function __errand_after
    set -l words (__errand_words); or return 1
    __errand_in $argv[2..-1]; and test (count $words) -eq (math (count $argv) - 1 + $argv[1])
end
${lines.join('\n')}
`;
}

function optionWords(option: OptionSpec): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const value = option.value === undefined ? '' : ` -r ${candidates(option.completes ?? [])}`;
  return `-l ${option.name}${short}${value} -d ${quoted(option.summary)}`;
}

function candidates(completes: Completes): string {
  if (completes === 'file') return '-F';
  if (completes === 'directory') return "-f -a '(__fish_complete_directories)'";
  if (typeof completes === 'string') return `-f -a '(errand __complete ${completes} 2>/dev/null)'`;
  return completes.length === 0 ? '-f' : `-f -a ${quoted(completes.join(' '))}`;
}
