// The optional services: each is registered only where the provider has the facet.
import type { DescService } from '@bufbuild/protobuf';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import type { Infra, ResourceSpec } from '@errand/contract';
import * as iac from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { answer, answerStream } from '../wire/answer.ts';
import { batchBytes } from '../wire/limits.ts';
import { gathered } from './lanes.ts';
import { readPlan } from './plan-values.ts';
import { readResourceRef, readSpec, sendOutput, sendResourceRef } from './resource-values.ts';
import { callOf } from './serve-driver.ts';
import { unsupported } from './served.ts';
import type { Served } from './served.ts';
import { readCapture, readRepair, sendDrift, sendPlanDiagnostic, sendRepaired } from './service-values.ts';

export type Registration = readonly [DescService, UntypedServiceImplementation];

export function optionalServices(served: Served): readonly Registration[] {
  const { preview } = served;
  return [
    ...(preview.enumerator ? [enumerator(served)] : []),
    ...(preview.driftDetector ? driftDetectors(served) : []),
    ...(preview.credentialRevoker ? [credentialRevoker(served)] : []),
    ...(preview.regionLister ? [regionLister(served)] : []),
    ...(preview.ownership ? [ownership(served)] : []),
    ...(preview.finalizer ? [finalizer(served)] : []),
    ...(preview.migrationRepairer ? [migrationRepairer(served)] : []),
    ...(preview.validator ? [validator(served)] : []),
    ...(preview.logCapture ? [logCapture(served)] : []),
  ];
}

/** With its config the provider may turn out to lack what it seemed to have. */
export function facet<K extends keyof Infra>({ infra }: Pick<Served, 'infra'>, name: K): NonNullable<Infra[K]> {
  const found = infra()[name];
  if (found === undefined) throw unsupported(`use its ${name}`);
  return found;
}

function enumerator(served: Served): Registration {
  const { enumerateAll, enumerateByTag } = iac.IaCProviderEnumerator.method;
  return [
    iac.IaCProviderEnumerator,
    {
      enumerateAll: answer(served.answers, enumerateAll, async ({ resourceType }, ask) => ({
        outputs: (await gathered(facet(served, 'enumerator').all(resourceType, ask))).map(sendOutput),
      })),
      enumerateByTag: answer(served.answers, enumerateByTag, async ({ tag }, ask) => ({
        refs: (await gathered(facet(served, 'enumerator').byTag(tag, ask))).map(sendResourceRef),
      })),
    },
  ];
}

function driftDetectors(served: Served): readonly Registration[] {
  const { detectDrift, detectDriftWithSpecs } = iac.IaCProviderDriftDetector.method;
  const { detectDriftConfig } = iac.IaCProviderDriftConfigDetector.method;
  const detect = async (
    refs: readonly iac.ResourceRef[],
    specs: Readonly<Record<string, iac.ResourceSpec>>,
    ask: Parameters<NonNullable<Infra['driftDetector']>['detect']>[2],
  ) => {
    const wanted = new Map<string, ResourceSpec>(Object.entries(specs).map(([name, spec]) => [name, readSpec(spec)]));
    const asked = refs.map((ref) => readResourceRef(ref));
    return { drifts: (await facet(served, 'driftDetector').detect(asked, wanted, ask)).map(sendDrift) };
  };
  const plain = {
    detectDrift: answer(served.answers, detectDrift, ({ refs }, ask) => detect(refs, {}, ask)),
    detectDriftWithSpecs: answer(served.answers, detectDriftWithSpecs, ({ refs, specs }, ask) => detect(refs, specs, ask)),
  };
  const config = {
    detectDriftConfig: answer(served.answers, detectDriftConfig, ({ refs, specs }, ask) => detect(refs, specs, ask)),
  };
  return [
    [iac.IaCProviderDriftDetector, plain],
    [iac.IaCProviderDriftConfigDetector, config],
  ];
}

function credentialRevoker(served: Served): Registration {
  const { revokeProviderCredential } = iac.IaCProviderCredentialRevoker.method;
  const revoke = answer(served.answers, revokeProviderCredential, async ({ source, credentialId }, ask, metadata) => {
    await facet(served, 'credentialRevoker').revoke(
      source,
      credentialId,
      callOf(ask, metadata, ['revoke', source, credentialId]),
    );
    return {};
  });
  return [iac.IaCProviderCredentialRevoker, { revokeProviderCredential: revoke }];
}

function regionLister(served: Served): Registration {
  const { listRegions } = iac.IaCProviderRegionLister.method;
  const list = answer(served.answers, listRegions, async ({ envName }, ask) => ({
    regions: (await facet(served, 'regionLister').list(envName, ask)).map((one) => ({ ...one })),
  }));
  return [iac.IaCProviderRegionLister, { listRegions: list }];
}

function ownership(served: Served): Registration {
  const { getOwner, setOwner, listOwners } = iac.IaCProviderOwnership.method;
  return [
    iac.IaCProviderOwnership,
    {
      getOwner: answer(served.answers, getOwner, async ({ ref }, ask) => ({
        ...(await facet(served, 'ownership').get(readResourceRef(ref), ask)),
      })),
      setOwner: answer(served.answers, setOwner, async ({ ref, owner }, ask, metadata) => {
        const asked = readResourceRef(ref);
        const call = callOf(ask, metadata, ['own', asked.type, asked.name, asked.providerId ?? '', owner]);
        await facet(served, 'ownership').set(asked, owner, call);
        return {};
      }),
      listOwners: answer(served.answers, listOwners, async ({ owner, resourceType }, ask) => {
        const owned = await facet(served, 'ownership').list(owner, resourceType || undefined, ask);
        return { resources: owned.map((one) => ({ ref: sendResourceRef(one.ref), owner: one.owner, source: one.source })) };
      }),
    },
  ];
}

function finalizer(served: Served): Registration {
  const { finalizeApply } = iac.IaCProviderFinalizer.method;
  const finalize = answer(served.answers, finalizeApply, async ({ planId }, ask, metadata) => {
    const errors = await facet(served, 'finalizer').finalize(planId, callOf(ask, metadata, ['finalize', planId]));
    return { errors: errors.map((one) => ({ ...one })) };
  });
  return [iac.IaCProviderFinalizer, { finalizeApply: finalize }];
}

function migrationRepairer(served: Served): Registration {
  const { repairDirtyMigration } = iac.IaCProviderMigrationRepairer.method;
  const repair = answer(served.answers, repairDirtyMigration, async ({ request }, ask, metadata) => {
    const asked = readRepair(request);
    const { app, database, forceVersion, expectedDirtyVersion } = asked;
    const call = callOf(ask, metadata, ['repair', app, database, expectedDirtyVersion, forceVersion]);
    return { result: sendRepaired(await facet(served, 'migrationRepairer').repair(asked, call)) };
  });
  return [iac.IaCProviderMigrationRepairer, { repairDirtyMigration: repair }];
}

function validator(served: Served): Registration {
  const { validatePlan } = iac.IaCProviderValidator.method;
  const validate = answer(served.answers, validatePlan, async ({ plan }, ask) => ({
    diagnostics: (await facet(served, 'validator').validate(readPlan(plan), ask)).map(sendPlanDiagnostic),
  }));
  return [iac.IaCProviderValidator, { validatePlan: validate }];
}

function logCapture(served: Served): Registration {
  const { captureLogs } = iac.IaCProviderLogCapture.method;
  const capture = answerStream(served.answers, captureLogs, async (request, ask, send) => {
    for await (const { bytes, source } of facet(served, 'logCapture').capture(readCapture(request), ask)) {
      for (let at = 0; at < bytes.length; at += batchBytes) await send({ data: bytes.subarray(at, at + batchBytes), source });
    }
    await send({ eof: true });
  });
  return [iac.IaCProviderLogCapture, { captureLogs: capture }];
}
