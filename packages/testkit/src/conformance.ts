// `@errand/testkit/conformance`: the scenarios without the test framework. Whatever this leads to stands on the contract and
// Node alone, because it is a part of the shipped program; test/architecture.test.ts sees to it.
export type { ConformanceCase } from './conformance-case.ts';
export { hostCases } from './host/cases.ts';
export { driverCases } from './infra/driver/cases.ts';
export type { DriverSample, DriverSubject } from './infra/driver/world.ts';
export { runnerCases } from './runner/cases.ts';
export type { ProviderSubject } from './runner/world.ts';
export { serviceCases } from './infra/service/cases.ts';
export type { ServiceSubject } from './infra/service/world.ts';
