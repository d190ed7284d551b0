import type { Plugin } from 'rolldown';

const importLine = /^import \{ ([^}]+) \} from "(node:[a-z/_]+)";$/gm;

/**
 * Has the bundle take Node's own modules from the process. An import of one reads each of its exports, some of which load
 * whole other modules when they are looked at: a third of our start-up.
 */
export const builtinsFromProcess: Plugin = {
  name: 'builtins-from-process',
  renderChunk(code) {
    return code.replace(importLine, (_line, names: string, id: string) => {
      const taken = names.replaceAll(' as ', ': ');
      return `const { ${taken} } = process.getBuiltinModule("${id}");`;
    });
  },
};
