#!/usr/bin/env node
// Kept apart from the bundle so that the compile cache is on before the bundle is parsed, and so that an old Node gets
// an answer instead of a syntax error.
import * as module from 'node:module';
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `errand: this is Node ${process.versions.node}, but Errand needs 24 or newer\n  next: Install a newer Node, or use npx in a project that has the \`node\` package.`,
  );
  process.exit(125);
}
module.enableCompileCache();
await import('../dist/errand.js');
