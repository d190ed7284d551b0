import type { Metadata, UntypedServiceImplementation } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Ask, Json, SecretCall } from '@errand/contract';
import { ResourceDriver } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { answer } from '../wire/answer.ts';
import { readCallHeaders } from './call-headers.ts';
import { readOutput, readResourceRef, readSpec, sendDiff, sendOutput } from './resource-values.ts';
import { driverOf, noSecret, unsupported } from './served.ts';
import type { Served } from './served.ts';
import { sendFinding } from './service-values.ts';

const methods = ResourceDriver.method;

export function serveDriver({ answers, infra, preview }: Served): UntypedServiceImplementation {
  return {
    create: answer(answers, methods.create, async ({ resourceType, spec }, ask, metadata) => {
      const driver = driverOf(infra(), resourceType);
      const wanted = readSpec(spec, resourceType);
      const call = callOf(ask, metadata, ['create', resourceType, wanted.name, wanted.config]);
      return { output: sendOutput(await driver.create(wanted, call)) };
    }),
    read: answer(answers, methods.read, async ({ resourceType, ref }, ask) => {
      const asked = readResourceRef(ref, resourceType);
      const output = await driverOf(infra(), resourceType).read(asked, ask);
      if (output) return { output: sendOutput(output) };
      throw new ErrandError('provider/not-found', `looked for ${resourceType} ${JSON.stringify(asked.name)}: it is not there`);
    }),
    update: answer(answers, methods.update, async ({ resourceType, ref, spec }, ask, metadata) => {
      const [asked, wanted] = [readResourceRef(ref, resourceType), readSpec(spec, resourceType)];
      const { name, providerId = '' } = asked;
      const call = callOf(ask, metadata, ['update', resourceType, name, providerId, wanted.config]);
      return { output: sendOutput(await driverOf(infra(), resourceType).update(asked, wanted, call)) };
    }),
    delete: answer(answers, methods.delete, async ({ resourceType, ref }, ask, metadata) => {
      const asked = readResourceRef(ref, resourceType);
      const call = callOf(ask, metadata, ['delete', resourceType, asked.name, asked.providerId ?? '']);
      await driverOf(infra(), resourceType).delete(asked, call);
      return {};
    }),
    diff: answer(answers, methods.diff, async ({ resourceType, desired, current }, ask) => {
      const wanted = readSpec(desired, resourceType);
      const seen = readOutput(current, { name: wanted.name, type: resourceType });
      return { result: sendDiff(await driverOf(infra(), resourceType).diff(wanted, seen, ask)) };
    }),
    scale: answer(answers, methods.scale, async ({ resourceType, ref, replicas }, ask, metadata) => {
      const driver = driverOf(infra(), resourceType);
      if (!driver.scale) throw unsupported(`scale ${resourceType}`);
      const asked = readResourceRef(ref, resourceType);
      const call = callOf(ask, metadata, ['scale', resourceType, asked.name, asked.providerId ?? '', replicas]);
      return { output: sendOutput(await driver.scale(asked, replicas, call)) };
    }),
    healthCheck: answer(answers, methods.healthCheck, async ({ resourceType, ref }, ask) => {
      const driver = driverOf(infra(), resourceType);
      if (!driver.health) throw unsupported(`look at the health of ${resourceType}`);
      return { result: { ...(await driver.health(readResourceRef(ref, resourceType), ask)) } };
    }),
    sensitiveKeys: answer(answers, methods.sensitiveKeys, async ({ resourceType }) => ({
      keys: [...(driverOf(preview, resourceType).sensitiveKeys ?? [])],
    })),
    troubleshoot: answer(answers, methods.troubleshoot, async ({ resourceType, ref, failureMsg }, ask) => {
      const driver = driverOf(infra(), resourceType);
      if (!driver.troubleshoot) throw unsupported(`troubleshoot ${resourceType}`);
      const findings = await driver.troubleshoot(readResourceRef(ref, resourceType), failureMsg, ask);
      return { diagnostics: findings.map(sendFinding) };
    }),
  };
}

export function callOf(ask: Ask, metadata: Metadata, asked: readonly Json[]): SecretCall {
  return { ...ask, ...readCallHeaders(metadata, asked), secret: noSecret };
}
