import type { OutputChunk, Plugin } from 'rolldown';

const facade = /^export \{ ([^}]+) \} from "(\.\/[^"]+)";\n?$/;

/**
 * A module that is imported later and shares its chunk with others gets a file of its own that only names it again, and
 * loading a file takes a millisecond. Here whoever imports such a file takes the chunk behind it.
 */
export const withoutFacades: Plugin = {
  name: 'without-facades',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one): one is OutputChunk => one.type === 'chunk');
    for (const chunk of chunks) {
      const [, names, behind] = facade.exec(chunk.code) ?? [];
      const isNeeded = chunk.isEntry || chunks.some((other) => other.imports.includes(chunk.fileName));
      if (isNeeded || names === undefined || behind === undefined) continue;
      const members = names.split(', ').map((entry) => {
        const [inside, outside = inside] = entry.split(' as ');
        return `${outside}: m.${inside}`;
      });
      const direct = `import("${behind}").then((m) => ({ ${members.join(', ')} }))`;
      for (const other of chunks) other.code = other.code.replaceAll(`import("./${chunk.fileName}")`, direct);
      delete bundle[chunk.fileName];
    }
  },
};
