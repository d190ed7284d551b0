export { packTree } from './pack.ts';
export { readTar, TarError } from './read.ts';
export type { TarRecord } from './read.ts';
export { writeTar } from './write.ts';
export type { TarEntry, TarOwner } from './write.ts';
