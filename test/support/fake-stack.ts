import type { ChangeSet, StackEvent, StackPort, StackState } from '../../cli/deploy/stack-port.ts';

/** One look at a fake stack: its status then, and the events since the look before. */
export interface StackLook {
  status: string;
  events?: readonly Partial<StackEvent>[];
  reason?: string;
}

/** A stack in a fake CloudFormation, which goes on by one step at each look. */
export interface FakeStack extends StackPort {
  /** The calls that change something: `execute set-1`, `delete`. */
  changes: string[];
}

const stackId = 'arn:aws:cloudformation:eu-central-1:111122223333:stack/Davit/0a1b2c3d';

/**
 * Makes a fake stack.
 *
 * @param looks what each look finds, one after the other; the last one repeats. undefined: there is no stack
 * @param changeSets what each look at a change set finds
 */
export function fakeStack(
  looks: readonly (StackLook | undefined)[],
  changeSets: readonly Partial<ChangeSet>[] = [],
): FakeStack {
  const changes: string[] = [];
  const events: StackEvent[] = [];
  let looked = 0;
  let lookedAtChangeSet = 0;
  return {
    changes,
    async describe() {
      const look = looks[Math.min(looked, looks.length - 1)];
      looked += 1;
      if (look === undefined) return undefined;
      for (const event of look.events ?? []) events.unshift(eventOf(event, events.length));
      const reason = look.reason === undefined ? {} : { reason: look.reason };
      return { id: stackId, status: look.status, outputs: {}, ...reason } satisfies StackState;
    },
    async *events() {
      yield* events;
    },
    async createChangeSet(type, templateUrl) {
      changes.push(`create change set ${type} ${templateUrl}`);
      return 'set-1';
    },
    async describeChangeSet(id) {
      const found = changeSets[Math.min(lookedAtChangeSet, changeSets.length - 1)];
      lookedAtChangeSet += 1;
      return { id, status: 'CREATE_COMPLETE', changes: [], ...found };
    },
    deleteChangeSet: async (id) => void changes.push(`delete change set ${id}`),
    executeChangeSet: async (id) => void changes.push(`execute ${id}`),
    delete: async () => void changes.push('delete'),
    template: async () => '{"Resources":{}}',
    resources: async () => new Map(),
  };
}

function eventOf(given: Partial<StackEvent>, index: number): StackEvent {
  return {
    id: `event-${index}`,
    atEpochMs: Date.UTC(2026, 5, 1, 10, 0, index),
    logicalId: 'Davit',
    type: 'AWS::CloudFormation::Stack',
    status: 'UPDATE_IN_PROGRESS',
    ...given,
  };
}
