import { describeDocument } from './document.ts';

describeDocument('docs/infra.md', 18);
