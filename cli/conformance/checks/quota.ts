import type { V1ResourceQuota } from '@kubernetes/client-node';
import { nanoQuantity } from '../../../core/pod/nano-quantity.ts';
import { type Check, type CheckContext, held, notChecked, notHeld } from '../check.ts';
import { refusalOf } from '../refusal-of.ts';

/** davit recognises a full quota. */
export const quota: Check = {
  name: 'quota',
  reliesOn: 'an object beyond a ResourceQuota is refused in words that davit takes for QuotaExceeded',
  thenDavit:
    'takes the refusal for another error, and does not wait for room as long as deadlines.quotaSeconds: the launch fails, ' +
    'or moves to another cluster of its profile.',
  run: async (context) => {
    const { connection, namespace } = context;
    const { items } = await connection.core.listNamespacedResourceQuota({ namespace });
    const excess = items.map((item) => excessOf(context, item)).find((found) => found !== undefined);
    if (excess === undefined) return notChecked(needs);
    const refusal = await refusalOf(context, 'create', excess.create());
    if (refusal === undefined) return notHeld(`the quota ${excess.of} does not refuse what exceeds it`);
    const { words, message, code } = refusal;
    if (code === 'QuotaExceeded') return held(words);
    if (!/quota/i.test(message)) return notChecked(`another rule refuses the object before the quota: ${words}`);
    return notHeld(`${words}; davit takes it for ${code}`);
  },
};

const needs =
  'needs a ResourceQuota that one object can exceed: of cpu, memory, ephemeral-storage, or services.nodeports up to 200';

/** An object that exceeds a quota, as a dry run. */
interface Excess {
  /** The quota's name, resource and limit. */
  of: string;
  create: () => Promise<unknown>;
}

const compute = /^(?:(?:requests|limits)\.)?(cpu|memory|ephemeral-storage)$/;
const mostPorts = 200;

/** @returns undefined when one object cannot exceed the quota */
function excessOf(context: CheckContext, { metadata, spec, status }: V1ResourceQuota): Excess | undefined {
  // A quota with scopes is of some Pods only. One without a status is not in force yet.
  if (spec?.scopes !== undefined || spec?.scopeSelector !== undefined) return undefined;
  for (const [key, limit] of Object.entries(status?.hard ?? {})) {
    const [, resource] = compute.exec(key) ?? [];
    const of = `${metadata?.name} of ${key}: ${limit}`;
    const hard = Number((nanoQuantity(limit) ?? 0n) / 1_000_000_000n);
    if (resource !== undefined) return { of, create: () => createPod(context, resource, hard + 1) };
    const isSmall = key === 'services.nodeports' && hard <= mostPorts;
    if (isSmall) return { of, create: () => createService(context, hard + 1) };
  }
  return undefined;
}

/** A quota of any of these resources demands that each container names it. */
const little = { cpu: '10m', memory: '16Mi', 'ephemeral-storage': '16Mi' };

/** @param amount of cores, or of bytes */
function createPod({ throwaways }: CheckContext, resource: string, amount: number) {
  const wanted = { ...little, [resource]: `${amount}` };
  return throwaways.dryPod({ container: { resources: { requests: wanted, limits: wanted } } });
}

function createService({ throwaways }: CheckContext, count: number) {
  const ports = Array.from({ length: count }, (_, index) => ({ name: `port-${index}`, port: index + 1 }));
  return throwaways.dryService({ ports });
}
