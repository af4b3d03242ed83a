import { githubTraits } from '../../ci/github/traits.ts';
import { listsInRound } from '../../core/ci/lists-in-turns.ts';
import { defaultRateLimitShare, roundRequests } from '../../core/ci/rate-budget.ts';
import { keptOfSlot, mostOfSlot, slotMs } from '../../core/ci/request-pace.ts';
import { askingShares, mostSentInRound, pointsOfWrite } from '../../core/ci/round-shares.ts';
import { askingShare } from '../../functions/reconcile/allowance.ts';
import { reconcileTotalMs } from '../../functions/reconcile/reconcile-deps.ts';
import { reconcileIntervalMinutes } from '../../runtime/function-settings.ts';
import { amount, markdownTable } from './markdown.ts';

/** GitHub's limits: of a token, and of an App in a large organization of Enterprise Cloud. */
const limits = [
  { limit: 5000, hasDeliveries: false },
  { limit: 15_000, hasDeliveries: false },
  { limit: 15_000, hasDeliveries: true },
] as const;

const points = githubTraits.requestPoints ?? { aMinute: 0, ofRead: 1, ofWrite: 5, keptForReads: 0 };

/** How many points a round takes in a slot for what it reads: whole halves of a slot, and what is kept for reads. */
const perSlot = 2 * Math.floor(mostOfSlot(points, 'doubt') / 2) + keptOfSlot(points);

/** Says how many requests a round makes in a part of the time in which it asks. */
function pacedReads(share: number): number {
  return Math.round((share * askingShare * reconcileTotalMs) / slotMs) * perSlot;
}

/** The numbers of repositories with events in a day, in the table. */
const sizes = [100, 1000, 5000] as const;

/** What the list of a repository's jobs costs on GitHub, in requests: its runs by three statuses. */
const requestsOfList = 3;

/** Writes how long reconciling takes to come round, by the rate limit and the number of repositories. */
export function reconcileSection(): string {
  const roundsAnHour = 60 / reconcileIntervalMinutes;
  const rows = limits.map(({ limit, hasDeliveries }) => {
    const requests = (limit * defaultRateLimitShare) / roundsAnHour;
    const lists = listsInRound({ limit, share: defaultRateLimitShare, requestsOfList, hasDeliveries });
    return [
      `${limit.toLocaleString('en')}${hasDeliveries ? ', with an App' : ', with a token'}`,
      amount(requests, 2),
      `${burstOf(limit)}`,
      ...sizes.map((repositories) => turnOf(repositories / lists)),
    ];
  });
  const unchanged = [
    'any, and nothing has changed',
    '0',
    '0',
    ...sizes.map((repositories) => turnOf((repositories * requestsOfList) / pacedReads(askingShares.jobLists))),
  ];
  const head = [
    'requests an hour',
    'requests of a round',
    'at most in one round',
    ...sizes.map((repositories) => `a turn of ${repositories.toLocaleString('en')} repositories`),
  ];
  return `## Reconciling

A round uses ${defaultRateLimitShare} of a CI system's rate limit (\`rateLimitShare\`), and on GitHub at most ${pacedReads(1)} requests that read: ${perSlot} in
each ${slotMs / 1000} s of the ${(askingShare * reconcileTotalMs) / 1000} s in which it asks, and ${keptOfSlot(points)} where [registrations](#registrations-on-github) need the minute. There is no number of repositories at which rounds stop: what a round has no room for, the next one
reads. The lists of repositories take turns, ${requestsOfList} requests each, and use half of a round's requests; with an App, whose list of
deliveries tells of lost webhooks, a third of them. The other requests ask for jobs and runners in doubt. GitHub counts no request
of the hour for a list that has not changed, so quiet repositories cost only points of the minute. Redeliveries of lost webhooks are five points each:
at most ${Math.floor(mostSentInRound / pointsOfWrite)} in a round, if the last minute has left room for them, and none while registrations wait.

${markdownTable(head, [...rows, unchanged])}`;
}

function burstOf(limit: number): number {
  const nowEpochMs = 0;
  const ahead = roundRequests(
    { limit, used: 0, resetsAtEpochMs: nowEpochMs + 3_600_000, atEpochMs: nowEpochMs },
    defaultRateLimitShare,
    nowEpochMs,
  );
  return Math.min(ahead, pacedReads(1));
}

function turnOf(rounds: number): string {
  const minutes = Math.ceil(rounds) * reconcileIntervalMinutes;
  return minutes < 60 ? `${minutes} min` : `${amount(minutes / 60, 2)} h`;
}
