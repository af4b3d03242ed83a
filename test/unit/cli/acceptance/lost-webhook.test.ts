import type { SeenAttempt } from '../../../../cli/acceptance/acceptance-ci.ts';
import type { ScenarioRun } from '../../../../cli/acceptance/scenario.ts';
import { lostWebhook } from '../../../../cli/acceptance/scenarios/lost-webhook.ts';
import type { WebhookNews } from '../../../../cli/acceptance/webhook-news.ts';
import type { Launch } from '../../../../cli/view/timeline.ts';

const queuedAtEpochMs = Date.parse('2026-06-01T10:00:00Z');
const news: WebhookNews = { foundWithinMs: 60_000, refused: 0 };

/** How davit and its CI system behave. */
interface Behaviour {
  /** How long after a job is queued davit requests its agent, in milliseconds, by the part; undefined for never. */
  requestedMs?: { lost?: number | undefined; again?: number };
  /** What davit says before, and after. @default nothing changes */
  news?: readonly [WebhookNews, WebhookNews];
  /** @default there is one */
  needs?: string;
  leftMs?: number;
}

async function runScenario({ requestedMs = {}, news: told = [news, news], needs, leftMs = 1_800_000 }: Behaviour = {}) {
  const afterMs: Record<string, number | undefined> = { told: 1000, lost: 100_000, again: 1000, ...requestedMs };
  const attempts: SeenAttempt[] = [];
  const events: string[] = [];
  const run: ScenarioRun = {
    burst: 1,
    deletePod: undefined,
    start: async ({ jobs, part }) => {
      events.push(`start ${part}`);
      for (let left = jobs; left > 0; left -= 1)
        attempts.push({
          batch: `lost-webhook-${part}`,
          runId: 1,
          jobId: attempts.length + 1,
          attempt: 1,
          status: 'completed',
          queuedAtEpochMs,
        });
    },
    until: async () => attempts,
    cancel: async () => {},
    rerun: async () => {},
    launches: async () => attempts.flatMap((attempt) => launchFor(attempt, afterMs)),
    poll: async (isSo) => isSo(),
    settle: async () => void events.push('settle'),
    webhook: {
      find: async () =>
        needs === undefined
          ? {
              whileOff: async (work) => {
                events.push('off');
                await work();
                events.push('on');
                return undefined;
              },
            }
          : { needs },
    },
    webhookNews: async () => (events.includes('on') ? told[1] : told[0]),
    leftMs: () => leftMs,
    pause: async (ms) => void events.push(`pause ${ms}`),
    say: () => {},
  };
  return { outcome: await lostWebhook.run(run), events };
}

function launchFor({ batch, jobId }: SeenAttempt, afterMs: Record<string, number | undefined>): Launch[] {
  const ms = afterMs[batch.replace('lost-webhook-', '')];
  if (ms === undefined) return [];
  const requestedAt = new Date(queuedAtEpochMs + ms).toISOString();
  const job = { jobKey: `gitea/7/${jobId}/1`, startedAt: requestedAt };
  const launchId = `gitea-7-${jobId}-1`;
  return [{ launchId, agentName: launchId, status: 'terminated', requestedAt, job, forgottenAt: requestedAt }];
}

test('jobs are queued only while the webhook is off, on a davit without agents, and all are to run', async () => {
  const { outcome, events } = await runScenario();

  expect(outcome).toEqual({ ran: 4, problems: [] });
  expect(events).toEqual(['start told', 'settle', 'off', 'start lost', 'pause 10000', 'on', 'start again']);
});

test.each<[string, Behaviour, RegExp]>([
  [
    'jobs that are found late',
    { requestedMs: { lost: 151_000 } },
    /not every job had an agent requested within 2 min 30 s/,
  ],
  ['jobs that are never found', { requestedMs: { lost: undefined } }, /not every job had an agent/],
  ['a webhook that has lost its secret', { news: [news, { ...news, refused: 1 }] }, /refused deliveries/],
  ['a webhook that stays off', { requestedMs: { again: 90_000 } }, /tells davit nothing any more/],
])('%s do not hold', async (_what, behaviour, problem) => {
  const { outcome } = await runScenario(behaviour);

  expect(outcome).toEqual({ ran: 4, problems: [expect.stringMatching(problem)] });
});

test.each<[string, Behaviour, RegExp, string[]]>([
  ['a webhook of the organization', { needs: 'another one' }, /^another one$/, []],
  [
    'a second webhook that tells davit of the jobs',
    { requestedMs: { lost: 2000 } },
    /no other webhook/,
    ['start told', 'settle', 'off', 'start lost', 'pause 10000', 'on'],
  ],
  [
    'a davit that does not reconcile',
    { news: [{ ...news, foundWithinMs: undefined }, news] },
    /a davit that reconciles/,
    ['start told', 'settle'],
  ],
  [
    'a bound of hours',
    { news: [{ ...news, foundWithinMs: 8 * 3_600_000 }, news] },
    /a longer --timeout: it takes up to 8 h/,
    ['start told', 'settle'],
  ],
])('with %s it is not run', async (_what, behaviour, needs, expected) => {
  const { outcome, events } = await runScenario(behaviour);

  expect(outcome).toEqual({ needs: expect.stringMatching(needs) });
  expect(events).toEqual(expected);
});
