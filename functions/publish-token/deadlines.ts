import type { Deadline } from '../../logic/steps/within-deadline.ts';
import type { PublishTokenInput } from './publish-token-input.ts';

/** The state, for both of its waits. */
const step = 'PublishToken';

/** Until when davit tries to publish the token. */
export function publishDeadline({ placement, deadlines }: PublishTokenInput): Deadline {
  const { publishSeconds: seconds } = deadlines;
  return { step, sinceEpochMs: placement.placedAtEpochMs, seconds, code: 'PublishDeadlineExceeded' };
}

/** Until when the agent may connect. */
export function connectDeadline({ deadlines }: PublishTokenInput, publishedAtEpochMs: number): Deadline {
  const { connectSeconds: seconds } = deadlines;
  return { step, sinceEpochMs: publishedAtEpochMs, seconds, code: 'ConnectDeadlineExceeded' };
}
