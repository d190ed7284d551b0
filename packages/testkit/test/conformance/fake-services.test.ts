import { allServices, describeCases, serviceCases } from '@errand/testkit';
import { open } from './fake-infra.ts';

const samples = [{ type: 'fake.thing', config: (name: string) => ({ region: 'nyc3', label: name }) }];
const stateBackend = { name: 'fake', config: {} };
describeCases('services', 'fake', serviceCases({ open, samples, stateBackend }, allServices), undefined);
