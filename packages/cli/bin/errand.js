#!/usr/bin/env node
// Kept apart from the bundle so that the compile cache is on before the bundle is parsed.
import { enableCompileCache } from 'node:module';
enableCompileCache();
await import('../dist/errand.js');
