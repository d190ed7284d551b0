import type { Plugin } from 'rolldown';

const importLine = /^import \{ ([^}]+) \} from "(node:[a-z/_]+)";$/gm;
/** Of these we use functions only, and most commands come by without them: each is loaded when one is called. */
const later = new Set(['node:child_process', 'node:fs/promises', 'node:zlib']);

/**
 * Has the bundle take Node's own modules from the process. An import of one reads each of its exports, some of which load
 * whole other modules when they are looked at: a third of our start-up.
 */
export const builtinsFromProcess: Plugin = {
  name: 'builtins-from-process',
  renderChunk(code) {
    return code.replace(importLine, (_line, names: string, id: string) => {
      if (later.has(id) && !/\bconstants\b/.test(names)) return calledLater(names.split(', '), id);
      return `const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule("${id}");`;
    });
  },
};

function calledLater(names: readonly string[], id: string): string {
  const module = `builtin$${id.replaceAll(/\W/g, '_')}`;
  const functions = names.map((entry) => {
    const [name, local = name] = entry.split(' as ');
    return `const ${local} = (...given) => (${module} ??= process.getBuiltinModule("${id}")).${name}(...given);`;
  });
  return [`let ${module};`, ...functions].join(' ');
}
