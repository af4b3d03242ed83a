import type { Finding } from '../finding.ts';
import type { Histories } from './histories.ts';

/** Two clocks may each be 2 s off: the one that dated the request, and that of the sweep. */
const clocksMs = 5000;

/** Checks that a sweep starts only a launch that its requester has had time to start. */
export function checkExecutions({ launches, executions }: Histories, skewMs: number): Finding[] {
  return [...executions.values()].flatMap(({ key, steps }) =>
    steps.flatMap(({ written: { fields }, atEpochMs, line }) => {
      const { by, graceSeconds } = fields;
      const requested = launches
        .get(key)
        ?.steps.findLast((step) => step.written.command === 'request' && step.atEpochMs <= atEpochMs + skewMs);
      if (requested === undefined) return [];
      const waitedMs = atEpochMs - requested.written.fields.requestedAtEpochMs;
      if (waitedMs >= graceSeconds * 1000 - clocksMs - skewMs) return [];
      const rule = 'a sweep leaves a launch that was just requested to its requester';
      const seen = `${by} started it ${waitedMs} ms after its request, and not ${graceSeconds * 1000}`;
      return [{ subject: `launch ${key}`, rule, seen, line }];
    }),
  );
}
