import * as z from 'zod';
import { printable } from '../../core/printable.ts';
import type { StackChange } from './stack-port.ts';

/** A logical id without the digest that the CDK puts at its end. */
export function readableId(logicalId: string): string {
  return logicalId.replace(/(?<=.)[0-9A-F]{8}$/, '');
}

type Kind = 'replace' | 'remove' | 'leave' | 'change' | 'add';

/** The kinds of changes, those that need a person's attention first. */
const kinds: Readonly<Record<Kind, { mark: string; count: string }>> = {
  replace: { mark: '!', count: 'to replace' },
  remove: { mark: '-', count: 'to remove' },
  leave: { mark: '○', count: 'to leave the stack and keep' },
  change: { mark: '~', count: 'to change' },
  add: { mark: '+', count: 'to add' },
};
const order = Object.keys(kinds);

function kindOf({ action, replacement, policy = '' }: StackChange): Kind {
  if (action === 'Add' || action === 'Import') return 'add';
  if (action === 'Remove') return policy.startsWith('Retain') ? 'leave' : 'remove';
  return replacement === 'True' || replacement === 'Conditional' ? 'replace' : 'change';
}

/** Lists the changes, one line each, then a line that counts them. */
export function changeLines(changes: readonly StackChange[]): string[] {
  const sorted = changes
    .map((change) => ({ ...change, kind: kindOf(change) }))
    .toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  const lines = sorted.map(({ kind, type, logicalId, properties, replacement }) => {
    const what = [
      ...(kind === 'replace' ? [replacement === 'True' ? 'is replaced' : 'may be replaced'] : []),
      ...(properties.length > 0 ? [properties.join(', ')] : []),
    ];
    const about = what.length === 0 ? '' : `  ${what.join(': ')}`;
    return printable(`${kinds[kind].mark} ${type}  ${readableId(logicalId)}${about}`);
  });
  const counts = Map.groupBy(sorted, ({ kind }) => kind);
  const sum = [...counts].map(([kind, those]) => `${those.length} ${kinds[kind].count}`).join(', ');
  return [...lines, sum === '' ? 'no resource changes' : sum];
}

const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), DeletionPolicy: z.string().optional() })),
});

/** Lists what a new stack would have: how many resources of each type. */
export function newStackLines(template: string): string[] {
  const types = Object.values(Template.parse(JSON.parse(template)).Resources).map(({ Type }) => Type);
  const counted = [...Map.groupBy(types, (type) => type)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [
    ...counted.map(([type, those]) => `+ ${String(those.length).padStart(3)} × ${type}`),
    `${types.length} ${kinds.add.count}`,
  ];
}

/** Lists the logical ids of the resources that outlive the stack, by their types. */
export function retainedIds(template: string): Map<string, string[]> {
  const retained = Object.entries(Template.parse(JSON.parse(template)).Resources).filter(
    ([, { DeletionPolicy = '' }]) => DeletionPolicy.startsWith('Retain'),
  );
  const byType = Map.groupBy(retained, ([, { Type }]) => Type);
  return new Map([...byType].map(([type, those]) => [type, those.map(([id]) => id)]));
}
