import { driverConformance } from '@errand/testkit';
import { missing, samples } from '../driver-samples.ts';
import { open, openCutOff } from '../infra.ts';

driverConformance('docker', { open, openCutOff, program: new URL('../infra.ts', import.meta.url), samples, ...missing });
