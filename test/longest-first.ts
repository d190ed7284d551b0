// Left to itself vitest has the longest files running alone at the end. What takes minutes starts first.
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

const order = [/crash-matrix/, /\/sim\//, /\/conformance\//, /\/interop\//, /\/faults\//, /\/e2e\//];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = order.findIndex((pattern) => pattern.test(moduleId));
  return at === -1 ? order.length : at;
}
