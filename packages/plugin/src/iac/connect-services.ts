// The optional services of the public contract as facets.
import type {
  CredentialRevoker,
  DriftDetector,
  Enumerator,
  Finalizer,
  LogCapture,
  MigrationRepairer,
  Ownership,
  RegionLister,
  Validator,
} from '@errand/contract';
import {
  IaCProviderCredentialRevoker,
  IaCProviderDriftConfigDetector,
  IaCProviderDriftDetector,
  IaCProviderEnumerator,
  IaCProviderFinalizer,
  IaCProviderLogCapture,
  IaCProviderMigrationRepairer,
  IaCProviderOwnership,
  IaCProviderRegionLister,
  IaCProviderValidator,
} from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { askFor, askForEach, change, nothing } from './line.ts';
import type { Line } from './line.ts';
import { sendPlan } from './plan-values.ts';
import { readOutput, readResourceRef, sendResourceRef, sendSpec } from './resource-values.ts';
import { readDrift, readFailure, readPlanDiagnostic, readRepaired, sendCapture, sendRepair } from './service-values.ts';

export function connectEnumerator(line: Line): Enumerator {
  const { enumerateAll, enumerateByTag } = IaCProviderEnumerator.method;
  return {
    async *all(type, ask) {
      const about = { verb: `list all ${type}`, type: { name: type, declared: line.declares(type) }, needsNone: true };
      yield* await askFor(line, about, enumerateAll, { resourceType: type }, ask, ({ outputs }) =>
        outputs.map((output) => readOutput(output, { name: '', type })),
      );
    },
    async *byTag(tag, ask) {
      const about = { verb: `list what has the tag ${JSON.stringify(tag)}` };
      yield* await askFor(line, about, enumerateByTag, { tag }, ask, ({ refs }) => refs.map((ref) => readResourceRef(ref)));
    },
  };
}

/** Two services say the same thing; whichever is there and fits what is asked is used. */
export function connectDriftDetector(line: Line, has: { readonly plain: boolean; readonly config: boolean }): DriftDetector {
  const about = { verb: 'look for drift' };
  const { detectDrift, detectDriftWithSpecs } = IaCProviderDriftDetector.method;
  const { detectDriftConfig } = IaCProviderDriftConfigDetector.method;
  return {
    async detect(refs, specs, ask) {
      const sent = refs.map(sendResourceRef);
      const read = ({ drifts }: { readonly drifts: Parameters<typeof readDrift>[0][] }) => drifts.map(readDrift);
      if (specs.size === 0 && has.plain) return await askFor(line, about, detectDrift, { refs: sent }, ask, read);
      const request = { refs: sent, specs: Object.fromEntries([...specs].map(([name, spec]) => [name, sendSpec(spec)])) };
      if (has.config) return await askFor(line, about, detectDriftConfig, request, ask, read);
      return await askFor(line, about, detectDriftWithSpecs, request, ask, read);
    },
  };
}

export function connectCredentialRevoker(line: Line): CredentialRevoker {
  const { revokeProviderCredential } = IaCProviderCredentialRevoker.method;
  return {
    async revoke(source, credentialId, call) {
      const about = { verb: `revoke a credential of ${source}` };
      await change(line, about, revokeProviderCredential, { source, credentialId }, call, nothing);
    },
  };
}

export function connectRegionLister(line: Line): RegionLister {
  const { listRegions } = IaCProviderRegionLister.method;
  return {
    list: (environment, ask) =>
      askFor(line, { verb: 'list its regions' }, listRegions, { envName: environment }, ask, ({ regions }) =>
        regions.map(({ name, displayName }) => ({ name, displayName })),
      ),
  };
}

export function connectOwnership(line: Line): Ownership {
  const { getOwner, setOwner, listOwners } = IaCProviderOwnership.method;
  const typeOf = (type: string) => ({ type: { name: type, declared: line.declares(type) } });
  return {
    get: (ref, ask) => {
      const about = { verb: `say who owns ${ref.type} ${JSON.stringify(ref.name)}`, ...typeOf(ref.type) };
      const request = { ref: sendResourceRef(ref) };
      return askFor(line, about, getOwner, request, ask, ({ owner, source }) => ({ owner, source }));
    },
    async set(ref, owner, call) {
      const about = { verb: `set the owner of ${ref.type} ${JSON.stringify(ref.name)}`, ...typeOf(ref.type) };
      await change(line, about, setOwner, { ref: sendResourceRef(ref), owner }, call, nothing);
    },
    list: (owner, type, ask) => {
      const request = { owner, resourceType: type ?? '' };
      return askFor(line, { verb: 'list what has an owner' }, listOwners, request, ask, ({ resources }) =>
        resources.map((one) => ({ ref: readResourceRef(one.ref), owner: one.owner, source: one.source })),
      );
    },
  };
}

export function connectFinalizer(line: Line): Finalizer {
  const { finalizeApply } = IaCProviderFinalizer.method;
  return {
    finalize: (planId, call) =>
      change(line, { verb: 'finalize the apply' }, finalizeApply, { planId }, call, ({ errors }) => errors.map(readFailure)),
  };
}

export function connectMigrationRepairer(line: Line): MigrationRepairer {
  const { repairDirtyMigration } = IaCProviderMigrationRepairer.method;
  return {
    repair: (repair, call) => {
      const about = { verb: `repair the migrations of ${JSON.stringify(repair.database)}` };
      const request = { request: sendRepair(repair) };
      return change(line, about, repairDirtyMigration, request, call, ({ result }) => readRepaired(result));
    },
  };
}

export function connectValidator(line: Line): Validator {
  const { validatePlan } = IaCProviderValidator.method;
  return {
    validate: (plan, ask) =>
      askFor(line, { verb: 'validate the plan' }, validatePlan, { plan: sendPlan(plan) }, ask, ({ diagnostics }) =>
        diagnostics.map(readPlanDiagnostic),
      ),
  };
}

export function connectLogCapture(line: Line): LogCapture {
  const { captureLogs } = IaCProviderLogCapture.method;
  return {
    async *capture(request, ask) {
      const { type, name } = request.resource;
      const about = {
        verb: `give the logs of ${type} ${JSON.stringify(name)}`,
        type: { name: type, declared: line.declares(type) },
      };
      for await (const { data, source, eof } of askForEach(line, about, captureLogs, sendCapture(request), ask)) {
        if (data.length > 0) yield { bytes: data, source };
        if (eof) return;
      }
    },
  };
}
