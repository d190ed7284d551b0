// The same wrapper for the infrastructure half of a provider: rate, deadline, retry by error class, redacted errors.
import type { Driver, ErrandError, Infra } from '@errand/contract';
import { guarded, quick, slow, stream } from './guard.ts';
import type { GuardOptions } from './guard.ts';

export function guardInfra(infra: Infra, options: GuardOptions): Infra {
  const { enumerator, driftDetector, credentialRevoker, regionLister, ownership, finalizer } = infra;
  const { migrationRepairer, validator, logCapture, stateBackend, requirementDiscovery, requirementMapper } = infra;
  return {
    ...guardOwn(infra, options),
    drivers: new Map([...infra.drivers].map(([type, driver]) => [type, guardDriver(driver, type, options)])),
    ...(infra.canonicalKeys && { canonicalKeys: infra.canonicalKeys }),
    ...(enumerator && {
      enumerator: {
        all: (type, ask) => stream(options, `list ${type}`, ask, () => enumerator.all(type, ask)),
        byTag: (tag, ask) => stream(options, 'list by tag', ask, () => enumerator.byTag(tag, ask)),
      },
    }),
    ...(driftDetector && {
      driftDetector: {
        detect: (refs, specs, ask) =>
          guarded(options, 'detect drift', slow, ask, (inner) => driftDetector.detect(refs, specs, inner)),
      },
    }),
    ...(credentialRevoker && {
      credentialRevoker: {
        revoke: (source, id, call) =>
          guarded(options, 'revoke a credential', quick, call, (inner) => credentialRevoker.revoke(source, id, inner)),
      },
    }),
    ...(regionLister && {
      regionLister: {
        list: (env, ask) => guarded(options, 'list regions', quick, ask, (inner) => regionLister.list(env, inner)),
      },
    }),
    ...(ownership && {
      ownership: {
        get: (ref, ask) => guarded(options, `read the owner of ${ref.name}`, quick, ask, (inner) => ownership.get(ref, inner)),
        set: (ref, owner, call) =>
          guarded(options, `set the owner of ${ref.name}`, quick, call, (inner) => ownership.set(ref, owner, inner)),
        list: (owner, type, ask) => guarded(options, 'list owned', slow, ask, (inner) => ownership.list(owner, type, inner)),
      },
    }),
    ...(finalizer && {
      finalizer: { finalize: (id, call) => guarded(options, 'finalize', slow, call, (inner) => finalizer.finalize(id, inner)) },
    }),
    ...(migrationRepairer && {
      migrationRepairer: {
        repair: (request, call) =>
          guarded(options, 'repair a migration', slow, call, (inner) => migrationRepairer.repair(request, inner)),
      },
    }),
    ...(validator && {
      validator: {
        validate: (plan, ask) => guarded(options, 'validate a plan', quick, ask, (inner) => validator.validate(plan, inner)),
      },
    }),
    ...(logCapture && {
      logCapture: { capture: (request, ask) => stream(options, 'read logs', ask, () => logCapture.capture(request, ask)) },
    }),
    ...(stateBackend && { stateBackend }),
    ...(requirementDiscovery && { requirementDiscovery }),
    ...(requirementMapper && { requirementMapper }),
  };
}

function guardOwn(infra: Infra, options: GuardOptions): Pick<Infra, 'sizing' | 'import' | 'status' | 'destroy' | 'bootstrap'> {
  const sizing = infra.sizing?.bind(infra);
  const lookUp = infra.import?.bind(infra);
  const status = infra.status?.bind(infra);
  const destroy = infra.destroy?.bind(infra);
  const bootstrap = infra.bootstrap?.bind(infra);
  return {
    ...(sizing && {
      sizing: (type, size, hints, ask) => guarded(options, 'size', quick, ask, (inner) => sizing(type, size, hints, inner)),
    }),
    ...(lookUp && {
      import: (type, id, ask) => guarded(options, `import ${type}`, quick, ask, (inner) => lookUp(type, id, inner)),
    }),
    ...(status && { status: (refs, ask) => guarded(options, 'tell statuses', slow, ask, (inner) => status(refs, inner)) }),
    ...(destroy && { destroy: (refs, call) => guarded(options, 'destroy', slow, call, (inner) => destroy(refs, inner)) }),
    ...(bootstrap && {
      bootstrap: (config, call) => guarded(options, 'bootstrap', slow, call, (inner) => bootstrap(config, inner)),
    }),
  };
}

/** The call may have had its effect. */
export function isAnswerLost({ code }: ErrandError): boolean {
  return code === 'provider/unreachable' || code === 'provider/timeout';
}

function guardDriver(driver: Driver, type: string, options: GuardOptions): Driver {
  const replace = driver.replace?.bind(driver);
  const scale = driver.scale?.bind(driver);
  const health = driver.health?.bind(driver);
  const troubleshoot = driver.troubleshoot?.bind(driver);
  const readMany = driver.readMany?.bind(driver);
  const diffMany = driver.diffMany?.bind(driver);
  const adopt = driver.adopt?.bind(driver);
  const { sensitiveKeys, configKeys, upserts, oneName, keyless } = driver;
  return {
    read: (ref, ask) => guarded(options, `read ${type} ${ref.name}`, quick, ask, (inner) => driver.read(ref, inner)),
    diff: (desired, current, ask) =>
      guarded(options, `compare ${type} ${desired.name}`, quick, ask, (inner) => driver.diff(desired, current, inner)),
    // Without a key a repetition would run into what the first call made; whoever called looks for it by its name.
    create: (spec, call) =>
      guarded(
        options,
        `create ${type} ${spec.name}`,
        slow,
        call,
        (inner) => driver.create(spec, inner),
        keyless ? isAnswerLost : undefined,
      ),
    update: (ref, spec, call) =>
      guarded(options, `update ${type} ${spec.name}`, slow, call, (inner) => driver.update(ref, spec, inner)),
    delete: (ref, call) => guarded(options, `delete ${type} ${ref.name}`, slow, call, (inner) => driver.delete(ref, inner)),
    ...(sensitiveKeys && { sensitiveKeys }),
    ...(configKeys && { configKeys }),
    ...(upserts !== undefined && { upserts }),
    ...(oneName !== undefined && { oneName }),
    ...(keyless !== undefined && { keyless }),
    ...(adopt && { adopt }),
    ...(replace && {
      replace: (ref, spec, call) =>
        guarded(options, `replace ${type} ${spec.name}`, slow, call, (inner) => replace(ref, spec, inner)),
    }),
    ...(scale && {
      scale: (ref, count, call) => guarded(options, `scale ${type} ${ref.name}`, slow, call, (inner) => scale(ref, count, inner)),
    }),
    ...(health && {
      health: (ref, ask) => guarded(options, `look after ${type} ${ref.name}`, quick, ask, (inner) => health(ref, inner)),
    }),
    ...(troubleshoot && {
      troubleshoot: (ref, failure, ask) =>
        guarded(options, `examine ${type} ${ref.name}`, quick, ask, (inner) => troubleshoot(ref, failure, inner)),
    }),
    ...(readMany && {
      readMany: (refs, ask) => guarded(options, `read ${refs.length} of ${type}`, slow, ask, (inner) => readMany(refs, inner)),
    }),
    ...(diffMany && {
      diffMany: (pairs, ask) =>
        guarded(options, `compare ${pairs.length} of ${type}`, slow, ask, (inner) => diffMany(pairs, inner)),
    }),
  };
}
