import { describeDocument } from './document.ts';

describeDocument('docs/write-a-provider.md', 8);
