import { colours, type Drawing } from './drawing.ts';

/** For Graphviz. The same drawing gives the same text. */
export function toDot({ nodes, edges }: Drawing): string {
  const lines = nodes.map(({ name, type, action }) => {
    const label = action ? `${name}\n${type}\n${action}` : `${name}\n${type}`;
    return `  ${quote(name)} [label=${quote(label)}${action ? `, color=${quote(colours[action])}` : ''}];`;
  });
  const arrows = edges.map(([from, to]) => `  ${quote(from)} -> ${quote(to)};`);
  return ['digraph errand {', '  rankdir=LR;', '  node [shape=box, fontname="sans-serif"];', ...lines, ...arrows, '}', ''].join(
    '\n',
  );
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
