import { ErrandError } from '@errand/contract';
import type { Lease } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { leaseDocument } from '../render/document.ts';
import { leaseTable } from '../render/lease.ts';
import { visible } from '../render/text.ts';
import { iso, relative } from '../render/time.ts';
import { sayOutdated } from './outdated.ts';
import { optional, pairs } from './request.ts';

export const acquireCommand: Action = async (context, args) => {
  const labels = pairs('label', args.list('label'));
  await using runtime = await context.open();
  const handle = await runtime.acquire(args.positional(0) ?? '', {
    labels,
    ...optional('ttl', args.text('ttl')),
    ...optional('image', args.text('image')),
  });
  handle.keep();
  await (context.json ? printJson(context, leaseDocument(handle.lease)) : printLine(context, handle.id));
  await context.say(`the lease ends ${relative(handle.lease.expiresAt, context.now())} unless renewed or released`);
  return 0;
};

export const renewCommand: Action = async (context, args) => {
  const ttl = args.text('ttl');
  if (ttl === undefined) {
    throw new ErrandError('usage/invalid', 'errand lease renew needs --ttl', { next: 'Write, for example, --ttl 30m.' });
  }
  await using runtime = await context.open();
  const handle = await runtime.lease(args.positional(0) ?? '');
  handle.keep();
  const lease = await handle.renew(ttl);
  await tell(
    context,
    lease,
    `lease ${lease.id} lasts until ${iso(lease.expiresAt)} (${relative(lease.expiresAt, context.now())})`,
  );
  return 0;
};

export const releaseCommand: Action = async (context, args) => {
  await using runtime = await context.open();
  const handle = await runtime.lease(args.positional(0) ?? '');
  handle.keep();
  const lease = await handle.release();
  if (lease.status === 'released') {
    await tell(context, lease, `lease ${lease.id} is released`);
    return 0;
  }
  if (context.json) await printJson(context, leaseDocument(lease));
  await context.warn(
    `lease ${lease.id} is ${lease.status}, its place is not proven gone: ${visible(lease.problem ?? 'no answer yet')}`,
  );
  await context.warn('  next: errand sweep tries again.');
  return FAILED;
};

export const leasesCommand: Action = async (context, args) => {
  await using runtime = await context.open({ recover: false });
  const leases = await runtime.leases({ all: args.flag('all') });
  const outdated = await runtime.outdated(leases);
  if (context.json) {
    for (const lease of leases) await printJson(context, leaseDocument(lease, outdated.get(lease.id)));
  } else if (leases.length === 0) {
    await context.say('no leases');
  } else {
    for (const line of leaseTable(leases, context.style, context.now(), context.out.columns)) await printLine(context, line);
    await sayOutdated(context, leases, outdated);
  }
  return 0;
};

async function tell(context: Context, lease: Lease, line: string): Promise<void> {
  await (context.json ? printJson(context, leaseDocument(lease)) : printLine(context, line));
}
