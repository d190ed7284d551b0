import { driverConformance } from '@errand/testkit';
import { samples } from '../driver-samples.ts';
import { open } from '../infra.ts';

driverConformance('local', { open, program: new URL('../infra.ts', import.meta.url), samples });
