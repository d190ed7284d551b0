import { createHash } from 'node:crypto';
import { base } from './base.ts';
import { job } from './job.ts';
import { place } from './place.ts';
import { processes } from './processes.ts';
import { verbs } from './verbs.ts';

/** The whole program that runs on the far side: plain POSIX sh. */
export const shimText = base + processes + job + place + verbs;

/** Named by its content, so that two versions of Errand can use one host at the same time. */
export const shimName = `shim-${createHash('sha256').update(shimText).digest('hex').slice(0, 16)}`;
