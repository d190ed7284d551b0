import { describeCases } from '../describe-cases.ts';
import { driverCases } from './driver/cases.ts';
import type { DriverSubject } from './driver/world.ts';

export type { DriverSample, DriverSubject } from './driver/world.ts';

export function driverConformance(name: string, subject: DriverSubject): void {
  describeCases('drivers', name, driverCases(subject), subject.skips);
}
