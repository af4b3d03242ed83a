import type { InvokedEvents } from '../../core/invoked-events.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';

/** Records the events of the functions that are to run later, and runs none. */
export interface FakeInvokeLater extends InvokeLater<keyof InvokedEvents> {
  readonly events: { readonly [Name in keyof InvokedEvents]: InvokedEvents[Name][] };
  /** While set, it takes no event. */
  failure: Error | undefined;
}

/** Makes one that has no event yet. */
export function fakeInvokeLater(): FakeInvokeLater {
  const events: FakeInvokeLater['events'] = {
    'clean-up': [],
    admit: [],
    'retire-runner': [],
    'report-to-ci': [],
    'publish-events': [],
    'poll-ci': [],
    probe: [],
  };
  function record<Name extends keyof InvokedEvents>(functionName: Name, event: InvokedEvents[Name]): void {
    if (fake.failure !== undefined) throw fake.failure;
    events[functionName].push(event);
  }
  const invokeLater: InvokeLater<keyof InvokedEvents> = async (functionName, event) => record(functionName, event);
  const fake: FakeInvokeLater = Object.assign(invokeLater, { events, failure: undefined });
  return fake;
}
