import { describeCases } from '../describe-cases.ts';
import type { ProviderSubject } from '../runner/world.ts';
import { hostCases } from './cases.ts';

export function hostConformance(name: string, subject: ProviderSubject): void {
  describeCases('host', name, hostCases(subject), subject.skips);
}
