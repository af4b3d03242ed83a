import { durationWords } from '../../view/duration.ts';
import type { Launch } from '../../view/timeline.ts';
import type { SeenAttempt } from '../acceptance-ci.ts';
import type { Scenario, ScenarioRun } from '../scenario.ts';
import type { WebhookNews } from '../webhook-news.ts';
import { areOver } from './are-over.ts';

const lostJobs = 2;
/** How long the CI system may take to send the events of a job that is queued, in milliseconds. */
const sendMs = 10_000;
/** Longer than a davit takes from its start to the end of its first round, in milliseconds. */
const firstRoundMs = 180_000;
/** Reconciling launches when two rounds agree, so at most a minute after it has found a job; the rounds take time, too. */
const secondRoundMs = 60_000 + 30_000;
/** Two rounds are a minute apart. So a launch that comes this soon was requested by an event. */
const toldMs = 20_000;
/** The longest time in which an event that arrives requests a launch: it cannot be two rounds before then. */
const toldWithinMs = 60_000;
/** For a job that davit is told of, its end and that of its agent, in milliseconds. */
const jobMs = 60_000;

export const lostWebhook: Scenario = {
  name: 'lost-webhook',
  does: "jobs that are queued while the repository's webhook is off",
  run: async (run) => {
    if (run.webhook === undefined) return { needs: 'a CI system that sends webhooks' };
    const webhook = await run.webhook.find();
    if ('needs' in webhook) return webhook;
    // davit lists the jobs of a repository that has sent an event.
    await run.start({ jobs: 1, seconds: 1, part: 'told' });
    await run.until('the first job is over', (attempts) => areOver(attempts, 1));
    await run.settle();
    const before = await newsOfRound(run);
    if (before.foundWithinMs === undefined) return { needs: 'a davit that reconciles with the CI system' };
    const boundMs = before.foundWithinMs + secondRoundMs;
    const wholeMs = sendMs + boundMs + 2 * jobMs;
    run.say(`this may take ${durationWords(wholeMs)}`);
    if (run.leftMs() < wholeMs) return { needs: `a longer --timeout: it takes up to ${durationWords(wholeMs)}` };

    const notRun = await webhook.whileOff(async () => {
      run.say('the webhook is off');
      await run.start({ jobs: lostJobs, seconds: 1, part: 'lost' });
      await run.until('the jobs are queued', (attempts) => attemptsOf(attempts, 'lost').length >= lostJobs);
      await run.pause(sendMs);
    });
    if (notRun !== undefined) return notRun;
    run.say(`the webhook is on again: davit is to request agents within ${durationWords(boundMs)}`);
    const isOver = (attempts: readonly SeenAttempt[]) => areOver(attemptsOf(attempts, 'lost'), lostJobs);
    const lost = attemptsOf(await run.until('the jobs are over', isOver, boundMs + jobMs), 'lost');
    const lostMs = await requestedAfterMs(run, lost);
    if (lostMs.some((ms) => ms < toldMs))
      return { needs: 'no other webhook that tells davit of these jobs, as one of the whole CI system' };

    await run.start({ jobs: 1, seconds: 1, part: 'again' });
    const isTold = (attempts: readonly SeenAttempt[]) => areOver(attemptsOf(attempts, 'again'), 1);
    const again = attemptsOf(await run.until('the last job is over', isTold, boundMs + jobMs), 'again');
    const againMs = await requestedAfterMs(run, again);
    const after = await run.webhookNews();
    return {
      ran: lostJobs + 2,
      problems: [
        ...(lostMs.length < lost.length || lostMs.some((ms) => ms > boundMs)
          ? [`not every job had an agent requested within ${durationWords(boundMs)}`]
          : []),
        ...(after.refused > before.refused ? ['davit refused deliveries of the webhook that was off'] : []),
        ...(againMs.some((ms) => ms > toldWithinMs) ? ['the webhook that was off tells davit nothing any more'] : []),
      ],
    };
  },
};

/** Asks until davit has reconciled with the CI system: a davit that has just started has not. */
async function newsOfRound(run: ScenarioRun): Promise<WebhookNews> {
  const untilMs = performance.now() + firstRoundMs;
  let news = await run.webhookNews();
  if (news.foundWithinMs === undefined) run.say('waiting until davit has reconciled');
  await run.poll(async () => {
    news = await run.webhookNews();
    return news.foundWithinMs !== undefined || performance.now() >= untilMs;
  });
  return news;
}

function attemptsOf(attempts: readonly SeenAttempt[], part: string): SeenAttempt[] {
  return attempts.filter(({ batch }) => batch.endsWith(`-${part}`));
}

/** How long after a job was queued its agent was requested, in milliseconds, for each that has one. */
async function requestedAfterMs(run: ScenarioRun, attempts: readonly SeenAttempt[]): Promise<number[]> {
  // Two jobs may swap their agents: which launch is whose davit knows once both events have arrived.
  const untilMs = performance.now() + jobMs;
  let waitsMs: number[] = [];
  await run.poll(async () => {
    waitsMs = waitsOf(attempts, await run.launches());
    return waitsMs.length === attempts.length || performance.now() >= untilMs;
  });
  return waitsMs;
}

function waitsOf(attempts: readonly SeenAttempt[], launches: readonly Launch[]): number[] {
  return attempts.flatMap(({ jobId, attempt, queuedAtEpochMs }) => {
    const launch = launches.find(({ job }) => job?.jobKey.endsWith(`/${jobId}/${attempt}`));
    return launch === undefined || queuedAtEpochMs === undefined
      ? []
      : [Date.parse(launch.requestedAt) - queuedAtEpochMs];
  });
}
