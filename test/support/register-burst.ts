import { randomUUID } from 'node:crypto';
import { createGithub } from '../../ci/github/create-github.ts';
import { byToken } from '../../ci/github/github-authorization.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import { type RegisterRunnerDeps, registerRunner } from '../../functions/register-runner/register-runner.ts';
import { startGithub } from '../../local/github/start-github.ts';
import { registrationsIn } from '../../logic/records/registrations-in.ts';
import { joinedPlanOf, recordOf } from '../contract/launch-fixtures.ts';
import { testInstallationId, testPace } from './make-launch-deps.ts';
import { MemoryLaunches } from './memory-launches.ts';

/** How connect and the network delay each question of an agent, in milliseconds: from, and up to. */
const askMs = [100, 500] as const;

const longestMs = 1_800_000;

/** A burst of agents. */
export interface Burst {
  agents: number;
  /** When the first of them asks: slots and minutes begin at other moments. */
  beginsAtEpochMs: number;
  /** Whether reconcile reads meanwhile, once in a second. @default it does not */
  reads?: boolean;
  /** Whether the functions pace their requests. @default they do */
  isPaced?: boolean;
}

/** What became of a burst. */
export interface BurstOutcome {
  /** When each agent was registered, in milliseconds from the begin, in order. */
  registeredAfterMs: number[];
  /** How often agents asked. */
  asks: number;
  /** How many runners GitHub has. */
  runners: number;
  /** How many requests GitHub has refused. */
  refusals: number;
  /** How many requests reconcile has made. */
  reads: number;
}

/**
 * Lets agents register at once at a local GitHub that limits its clients as GitHub's documentation says, each asking again as
 * `Retry-After` says, until all are registered. Its clock goes from event to event.
 *
 * @throws Error when agents are left after half an hour
 */
export async function registerBurst({ agents, beginsAtEpochMs, reads, isPaced = true }: Burst): Promise<BurstOutcome> {
  let nowEpochMs = beginsAtEpochMs;
  const clock = () => nowEpochMs;
  const github = await startGithub({
    organizations: ['acme'],
    limits: { requestsAnHour: 15_000, nowEpochMs: clock },
    onExchange: ({ status }) => void (outcome.refusals += status === 403 ? 1 : 0),
    onFailure: (error) => console.error(error),
  });
  const outcome: BurstOutcome = { registeredAfterMs: [], asks: 0, runners: 0, refusals: 0, reads: 0 };
  const launches = new MemoryLaunches();
  const registrations = registrationsIn(launches.records);
  const scope = { organization: 'acme' };
  // Each function's process is new: what one of them has learnt of a pause, the others have only from the store.
  const newCi = () =>
    createGithub({ name: 'github', apiUrl: github.url, ...byToken(async () => github.token), timeoutMs: 10_000 });
  const ciSystems = isPaced ? ([{ name: 'github', provider: 'github' }] as const) : [];
  const deps: RegisterRunnerDeps = {
    launches,
    registrations,
    ciSystemOf: newCi,
    pace: testPace(ciSystems, clock),
    installationId: testInstallationId,
    newNonce: randomUUID,
    nowEpochMs: clock,
  };
  const events: { atEpochMs: number; act: () => Promise<void> }[] = [];
  const after = (ms: number, act: () => Promise<void>) => void events.push({ atEpochMs: nowEpochMs + ms, act });
  const ask = async (launchId: string, number: number): Promise<void> => {
    outcome.asks += 1;
    const agent = { launchId, agentName: agentNameOf(launchId, 1) };
    const nonce = randomUUID();
    await registrations.begin(agent, nonce, nowEpochMs);
    const answer = await registerRunner(deps, { ...agent, nonce });
    if (answer.outcome === 'unavailable') {
      const delayMs = askMs[0] + ((number * 37 + outcome.asks * 101) % (askMs[1] - askMs[0]));
      return after((answer.retryAfterSeconds ?? 5) * 1000 + delayMs, () => ask(launchId, number));
    }
    if (answer.outcome !== 'registered') throw new Error(`${launchId}: ${answer.outcome}`);
    outcome.registeredAfterMs.push(nowEpochMs - beginsAtEpochMs);
  };
  const read = async (): Promise<void> => {
    const ci = newCi();
    const count = 13;
    if ((await deps.pace.take('github', 'doubt', { reads: count })) === undefined) {
      outcome.reads += count;
      for (let number = 1; number <= count; number += 1) await ci.runnersOnPage(scope, 'davit', number);
    }
    after(1000, read);
  };

  try {
    for (let number = 1; number <= agents; number += 1) {
      const launchId = `github-7-${number}-1`;
      const join = { ciSystem: 'github', scope, labels: ['linux'], idleSeconds: 300 };
      await launches.request(recordOf(launchId, { plan: joinedPlanOf(launchId, { join }) }));
      // A job's agents come up over some seconds, if they come up together.
      after((number * 2000) / agents, () => ask(launchId, number));
    }
    if (reads) after(0, read);
    while (outcome.registeredAfterMs.length < agents) {
      events.sort((one, other) => one.atEpochMs - other.atEpochMs);
      const next = events.shift();
      if (next === undefined || next.atEpochMs > beginsAtEpochMs + longestMs) throw new Error('some agents are left');
      nowEpochMs = Math.floor(next.atEpochMs);
      await next.act();
    }
    outcome.runners = github.state.runners.size;
    return outcome;
  } finally {
    await github.stop();
  }
}
