import * as fc from 'fast-check';
import { AgentName } from '../../../../core/launch/names.ts';
import { connectPace, furtherLookMs, lookMs, placementPace } from '../../../../logic/steps/look.ts';

const agentName = AgentName.parse('davit-github-1-2-1');
const paces = { placement: placementPace, connect: connectPace };
const far = 3_600_000;

describe('a look', () => {
  test.each<
    [fact: string, pace: keyof typeof paces, elapsedMs: number, remainingMs: number, pause: number, ms: number]
  >([
    ['is long when the wait begins', 'placement', 0, far, 11, 20_000],
    ['is always short for a connection, which nothing waits for', 'connect', 0, far, 27, 3000],
    ['is short in an old wait', 'placement', 60_000, far, 11, 3000],
    ['ends with a deadline that is near, however old the wait', 'placement', 600_000, 22_000, 11, 22_000],
    ['does not wait for a deadline that a later look reaches', 'placement', 600_000, 22_001, 11, 3000],
    ['is as short as the remaining time', 'connect', 0, 1200, 27, 1200],
    ['is over at once when the deadline has passed', 'connect', 0, -1, 27, 0],
  ])('%s', (_fact, pace, elapsedMs, remainingMs, pauseSeconds, ms) => {
    expect(lookMs(paces[pace], { agentName, elapsedMs, remainingMs, pauseSeconds })).toBe(ms);
  });

  test('is always long for a state machine without a known pause', () => {
    for (const elapsedMs of [0, 41_000, 21_000_000]) {
      expect(lookMs(placementPace, { agentName, elapsedMs, remainingMs: far, pauseSeconds: undefined })).toBe(20_000);
    }
  });

  test('ends the first minute at a different moment for each agent, spread over 14 s', () => {
    const ends = Array.from({ length: 500 }, (_, index) => {
      const other = AgentName.parse(`davit-github-${index}-2-1`);
      return (
        43_000 + lookMs(placementPace, { agentName: other, elapsedMs: 43_000, remainingMs: far, pauseSeconds: 11 })
      );
    });

    expect(Math.min(...ends)).toBeLessThan(47_000);
    expect(Math.max(...ends)).toBeGreaterThan(59_000);
    for (const end of ends) expect(end).toBeLessThanOrEqual(60_000);
  });

  test('is the same whole number of milliseconds each time, from 3 s to the longest of its pace, while the deadline is far', () => {
    const names = fc.nat(9999).map((jobId) => AgentName.parse(`davit-github-1-${jobId}-1`));
    const elapsed = fc.oneof(fc.nat(60_000), fc.nat(21_600_000));
    fc.assert(
      fc.property(fc.constantFrom('placement', 'connect'), names, elapsed, (name, other, elapsedMs) => {
        const state = { agentName: other, elapsedMs, remainingMs: far, pauseSeconds: 11 };
        const ms = lookMs(paces[name], state);

        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(3000);
        expect(ms).toBeLessThanOrEqual(paces[name].longLookMs);
        expect(lookMs(paces[name], state)).toBe(ms);
      }),
    );
  });
});

describe('a look that has seen trouble', () => {
  test.each<[fact: string, nowEpochMs: number, graceEndEpochMs: number | undefined, ms: number | undefined]>([
    ['ends when no grace period runs', 1_003_000, undefined, undefined],
    ['lasts until the end of the grace period', 1_003_000, 1_004_000, 1000],
    ['lasts no longer than a function can stay', 1_003_000, 1_022_001, undefined],
    ['lasts as long as a function can stay', 1_003_000, 1_022_000, 19_000],
    ['judges once more when the grace period has just ended', 1_004_200, 1_004_000, 0],
    ["judges once more with the last of its function's time", 1_022_000, 1_004_000, 0],
    ['is over when its function has no time left', 1_022_001, 1_004_000, undefined],
  ])('%s', (_fact, nowEpochMs, graceEndEpochMs, ms) => {
    expect(furtherLookMs(1_000_000, nowEpochMs, graceEndEpochMs)).toBe(ms);
  });
});
