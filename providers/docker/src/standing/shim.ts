// Loaded when a standing container is made, and not before: most jobs need neither the programs nor zlib.
import { gunzipSync } from 'node:zlib';
import { shimPrograms } from './shim-programs.ts';

export const shimFor = (machine: keyof typeof shimPrograms): Buffer =>
  gunzipSync(Buffer.from(shimPrograms[machine].join(''), 'base64'));
