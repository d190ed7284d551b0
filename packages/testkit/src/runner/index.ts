import { describeCases } from '../describe-cases.ts';
import { runnerCases } from './cases.ts';
import type { ProviderSubject } from './world.ts';

export type { ProviderSubject } from './world.ts';

export function runnerConformance(name: string, subject: ProviderSubject): void {
  describeCases('runner', name, runnerCases(subject), subject.skips);
}
