import * as fc from 'fast-check';
import { retrySecondsUntil, slotOf, slotStart } from '../../../../core/ci/request-pace.ts';
import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import type { RegistrationOutcome } from '../../../../core/launch/registration-outcome.ts';
import { type RegisterRunnerDeps, registerRunner } from '../../../../functions/register-runner/register-runner.ts';
import {
  agentOf,
  endingOf,
  epochMs,
  jobRunner,
  joinedPlanOf,
  recordOf,
  signalOf,
} from '../../../contract/launch-fixtures.ts';
import { FakeRunners } from '../../../support/fake-runners.ts';
import { makeLaunchDeps, testPace } from '../../../support/make-launch-deps.ts';

let asks = 0;

/** Each request of an agent is asked at a later moment. */
function nextAskedAtEpochMs(): number {
  asks += 1;
  return epochMs + asks;
}

const name = 'davit-0a1b2c3d-job';
const agent = agentOf('job');
const down = new TransientError('CiUnavailable', 'gitea: POST /runners: 502: Bad gateway');
const refused = new TerminalError('CiRefused', 'gitea: POST /runners: 403: must be an owner');

/** A launch whose agent registers at this CI system. */
async function makeDeps(given: Partial<FakeRunners> = {}, plan = joinedPlanOf('job')) {
  const ci = Object.assign(new FakeRunners(), given);
  const made = makeLaunchDeps({ nowEpochMs: () => epochMs });
  await made.launches.request(recordOf('job', { plan }));
  const ciSystemOf = (system: string) => {
    if (system !== 'gitea') throw new TerminalError('CiRefused', `davit.yaml has no CI system ${system}`);
    return ci;
  };
  return { ...made, ciSystemOf, ci };
}
type Deps = RegisterRunnerDeps & Pick<Awaited<ReturnType<typeof makeDeps>>, 'ci' | 'launches' | 'registrations'>;

let deps: Deps;
beforeEach(async () => {
  deps = await makeDeps();
});

/** Begins a registration, as connect does, and carries it out. */
async function ask(by: Deps, nonce: string): Promise<RegistrationOutcome> {
  const begun = await by.registrations.begin(agent, nonce, nextAskedAtEpochMs());
  if (begun === undefined) return { outcome: 'over' };
  return registerRunner(by, { ...agent, nonce });
}

function idsOf({ ci }: Deps): number[] {
  return ci.runners.map(({ id }) => id);
}

describe('an agent', () => {
  test('is registered under its name and its labels, in its scope, and its launch is connected', async () => {
    const outcome = await ask(deps, 'nonce');

    expect(outcome).toEqual({ outcome: 'registered', environment: { JOIN_WITH: 'secret of 1' } });
    expect(deps.ci.runners).toEqual([{ id: 1, name, labels: ['linux'] }]);
    expect(deps.ci.scopes).toEqual([{ organization: 'acme' }]);
    expect(await deps.launches.get('job')).toMatchObject({ status: 'connected', runner: { id: 1, name } });
  });

  test('with a runner group in its profile is registered there', async () => {
    const { join } = joinedPlanOf('job');
    const grouped = join && { ...join, runnerGroup: 'builds', repositories: ['acme/*'] };
    deps = await makeDeps({}, joinedPlanOf('job', { join: grouped }));

    await ask(deps, 'nonce');

    expect(deps.ci.runners).toEqual([{ id: 1, name, labels: ['linux'], group: 'builds', repositories: ['acme/*'] }]);
  });

  test.each([true, false])(
    'that asks again after a lost answer is registered again, and its first runner is removed (shared names: %s)',
    async (sharesNames) => {
      deps = await makeDeps({ sharesNames });
      await ask(deps, 'first');

      const outcome = await ask(deps, 'second');

      expect(outcome).toEqual({ outcome: 'registered', environment: { JOIN_WITH: 'secret of 2' } });
      expect(idsOf(deps)).toEqual([2]);
      const record = await deps.launches.get('job');
      expect(record).toMatchObject({ runner: { id: 2 } });
      expect(record).not.toHaveProperty('deregisteredAtEpochMs');
    },
  );

  test.each<[when: string, happens: () => unknown, left: number[]]>([
    ['while its runner runs a job', () => deps.ci.busy.add(1), [1]],
    ['after its runner is gone without davit, because it has run its job', () => deps.ci.runners.splice(0), []],
    ['after its runner, which stays, may have had a job', () => deps.ci.used.add(1), [1]],
  ])('that asks again %s gets no registration', async (_when, happens, left) => {
    await ask(deps, 'first');
    happens();

    expect(await ask(deps, 'second')).toEqual({ outcome: 'over' });
    expect(idsOf(deps)).toEqual(left);
    expect(await deps.launches.get('job')).toMatchObject({ status: 'connected', runner: { id: 1 } });
  });

  test('that is bound to a job gets no registration, without a request to the CI system', async () => {
    await ask(deps, 'first');
    await deps.registrations.begin(agent, 'second', nextAskedAtEpochMs());
    await deps.registrations.bind('job', jobRunner(1), { jobKey: 'gitea/1/8/1' }, epochMs);
    deps.ci.scopes.length = 0;

    expect(await registerRunner(deps, { ...agent, nonce: 'second' })).toEqual({ outcome: 'over' });
    expect(deps.ci.scopes).toEqual([]);
  });

  test.each([true, false])(
    'whose registration died after creating a runner gets another one, and the first is removed (shared names: %s)',
    async (sharesNames) => {
      deps = await makeDeps({ sharesNames });
      deps.ci.after('register', async () => Promise.reject(new Error('Runtime.ExitError')));
      await expect(ask(deps, 'first')).rejects.toThrow('Runtime.ExitError');
      expect(idsOf(deps)).toEqual([1]);

      const outcome = await ask(deps, 'second');

      expect(outcome).toMatchObject({ outcome: 'registered' });
      expect(idsOf(deps)).toEqual([2]);
    },
  );

  test('whose name is taken gets it back at its first registration, too', async () => {
    deps.ci.runners.push({ id: 99, name, labels: [] }, { id: 98, name: `${name}-other`, labels: [] });

    expect(await ask(deps, 'nonce')).toMatchObject({ outcome: 'registered' });
    expect(idsOf(deps)).toEqual([98, 1]);
  });

  test.each<[what: string, by: typeof agent, happens: () => unknown]>([
    ['a launch that is over', agent, () => deps.launches.end('job', endingOf())],
    ['a launch that retires', agent, () => deps.registrations.retire('job', 'surplus', epochMs)],
    ['another generation', agentOf('job', 2), () => {}],
    ['no launch', agentOf('none'), () => {}],
  ])('gets no runner for %s', async (_what, by, happens) => {
    await deps.registrations.begin(agent, 'nonce', nextAskedAtEpochMs());
    await happens();

    expect(await registerRunner(deps, { ...by, nonce: 'nonce' })).toEqual({ outcome: 'over' });
    expect(deps.ci.scopes).toEqual([]);
  });

  test('that davit does not register is an error of the caller', async () => {
    await deps.launches.request(recordOf('plain'));
    await deps.registrations.begin(agentOf('plain'), 'nonce', nextAskedAtEpochMs());

    await expect(registerRunner(deps, { ...agentOf('plain'), nonce: 'nonce' })).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'InputInvalid',
    });
  });
});

describe('during the registration of an agent', () => {
  test.each([
    ['ended', () => deps.launches.end('job', endingOf())],
    ['retired', () => deps.registrations.retire('job', 'surplus', epochMs)],
  ])('its launch is %s, and no runner is left', async (_what, happens) => {
    deps.ci.after('register', happens);

    expect(await ask(deps, 'nonce')).toEqual({ outcome: 'over' });
    expect(idsOf(deps)).toEqual([]);
    expect(await deps.launches.get('job')).not.toHaveProperty('runner');
  });

  test('it asks again: a late earlier registration leaves the later runner alone, which has the same id', async () => {
    for (const isComplete of [true, false]) {
      deps = await makeDeps({ idsAreNames: true });
      const [reached, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let later: Promise<RegistrationOutcome> | undefined;
      deps.ci.after('register', async () => {
        deps.ci.after('register', async () => {
          reached.resolve();
          if (!isComplete) await over.promise;
        });
        later = ask(deps, 'second');
        await (isComplete ? later : reached.promise);
      });

      const earlier = await ask(deps, 'first');
      over.resolve();

      expect(earlier).toEqual({ outcome: 'superseded' });
      expect(await later).toMatchObject({ outcome: 'registered' });
      expect(idsOf(deps)).toEqual([1]);
    }
  });

  test.each([true, false])(
    'the function runs twice for one request: one run registers the agent (shared names: %s)',
    async (sharesNames) => {
      deps = await makeDeps({ sharesNames });
      let second: RegistrationOutcome | undefined;
      deps.ci.after('register', async () => {
        second = await registerRunner(deps, { ...agent, nonce: 'nonce' });
      });

      const first = await ask(deps, 'nonce');

      expect(first).toEqual({ outcome: 'registered', environment: { JOIN_WITH: 'secret of 1' } });
      expect(second).toEqual({ outcome: 'superseded' });
      expect(idsOf(deps)).toEqual([1]);
      expect(await deps.launches.get('job')).toMatchObject({ runner: { id: 1 } });
    },
  );

  test('it asks again: a late earlier registration does not remove the later runner as a namesake', async () => {
    deps.ci.before('register', () => ask(deps, 'second'));

    expect(await ask(deps, 'first')).toEqual({ outcome: 'superseded' });
    expect(idsOf(deps)).toEqual([1]);
    expect(await deps.launches.get('job')).toMatchObject({ runner: { id: 1 }, registration: { count: 2 } });
  });

  test('it asks again: an earlier registration that lists namesakes late leaves the later runner alone', async () => {
    for (const at of ['before', 'after'] as const) {
      deps = await makeDeps({ sharesNames: true });
      await deps.registrations.begin(agent, 'first', nextAskedAtEpochMs());
      await deps.registrations.take(agent, 'first', 'of a run that died');
      let later: RegistrationOutcome | undefined;
      deps.ci[at]('runnersNamed', async () => {
        later = await ask(deps, 'third');
      });

      expect(await ask(deps, 'second')).toEqual({ outcome: 'superseded' });
      expect(later).toMatchObject({ outcome: 'registered' });
      expect(idsOf(deps)).toEqual([1]);
    }
  });
});

describe('a CI system', () => {
  test.each([
    ['does not answer', down, 'CiUnavailable'],
    ['refuses', refused, 'CiRefused'],
    ['lacks its secret', new TerminalError('SecretMissing', 'secret gitea-token: there is none'), 'SecretMissing'],
  ])("that %s appears in its own words, in the agent's answer and in the signal", async (_what, failure, code) => {
    deps = await makeDeps({ failure });

    const outcome = await ask(deps, 'nonce');

    expect(outcome).toEqual({ outcome: 'unavailable', code, detail: failure.detail });
    expect(await deps.launches.get('job')).toMatchObject({
      status: 'launching',
      signal: { code, detail: failure.detail, sinceEpochMs: epochMs },
    });
  });

  test('that is back registers the agent, which clears its signal', async () => {
    deps = await makeDeps({ failure: down });
    await ask(deps, 'first');
    deps.ci.failure = undefined;

    expect(await ask(deps, 'second')).toMatchObject({ outcome: 'registered' });
    expect(await deps.launches.get('job')).not.toHaveProperty('signal');
  });

  test("does not replace the Pod's own signal, from which a grace period counts", async () => {
    deps = await makeDeps({ failure: down });
    await deps.launches.noteSignal('job', signalOf());

    expect(await ask(deps, 'nonce')).toMatchObject({ outcome: 'unavailable' });
    expect(await deps.launches.get('job')).toMatchObject({ signal: signalOf() });
  });

  test('that davit.yaml does not have counts as refusing', async () => {
    const ciSystemOf = () => deps.ciSystemOf('github');

    expect(await ask({ ...deps, ciSystemOf }, 'nonce')).toMatchObject({
      outcome: 'unavailable',
      code: 'CiRefused',
      detail: 'davit.yaml has no CI system github',
    });
  });

  test('in which the name stays in use counts as unavailable', async () => {
    const taken = async () => {
      deps.ci.runners.push({ id: 99, name, labels: [] });
    };
    await taken();
    deps.ci.after('removeIfIdle', taken);

    expect(await ask(deps, 'nonce')).toMatchObject({ outcome: 'unavailable', code: 'CiUnavailable' });
    expect(await deps.launches.get('job')).toMatchObject({ signal: { code: 'CiUnavailable' } });
  });

  test('that fails during the removal of an unwanted runner is an error, and reconcile removes the runner', async () => {
    deps.ci.after('register', async () => {
      await deps.launches.end('job', endingOf());
      deps.ci.failure = down;
    });

    await expect(ask(deps, 'nonce')).rejects.toBe(down);
    expect(idsOf(deps)).toEqual([1]);
  });
});

test('the agent has the runner in the record, and no other is left, however requests, endings and jobs interleave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('nothing', 'end', 'retire'),
      async (scheduler, sharesNames, copies, disturbance) => {
        deps = await makeDeps({ sharesNames });
        const { ci } = deps;
        const wait = scheduler.scheduleFunction(async () => {});
        const slow = { ...deps, launches: deps.launches, ciSystemOf: () => slowed(ci, wait) };
        const answers: RegistrationOutcome[] = [];
        // Lambda may run the function twice for one request.
        const asking = copies.map(async (runs, index) => {
          const nonce = `nonce ${index}`;
          await wait();
          if ((await deps.registrations.begin(agent, nonce, nextAskedAtEpochMs())) === undefined) return;
          const running = Array.from({ length: runs }, async () => {
            await wait();
            answers.push(await registerRunner(slow, { ...agent, nonce }));
          });
          await Promise.all(running);
        });
        const disturbing = (async () => {
          await wait();
          if (disturbance === 'end') await deps.launches.end('job', endingOf());
          if (disturbance === 'retire') await deps.registrations.retire('job', 'surplus', epochMs);
        })();

        await scheduler.waitFor(Promise.all([...asking, disturbing]));

        const record = await deps.launches.get('job');
        const isLeft = record?.runner !== undefined && record.deregisteredAtEpochMs === undefined;
        expect(idsOf(deps)).toEqual(isLeft ? [record.runner?.id] : []);
        const given = answers.flatMap((answer) => (answer.outcome === 'registered' ? [answer.environment] : []));
        if (isLeft) expect(given).toContainEqual({ JOIN_WITH: `secret of ${record.runner?.id}` });
        if (disturbance === 'nothing') expect(given.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 300 },
  );
});

describe('at a CI system that takes so many registrations in a minute', () => {
  let nowEpochMs = epochMs;

  beforeEach(async () => {
    deps = await makePaced();
  });

  async function makePaced() {
    nowEpochMs = slotStart(slotOf(epochMs));
    const made = await makeDeps();
    return {
      ...made,
      nowEpochMs: () => nowEpochMs,
      pace: testPace([{ name: 'gitea', provider: 'github' }], () => nowEpochMs),
    };
  }

  /** Uses up what the CI system takes in a minute, which begins with a slot. */
  async function useUp(pace: RegisterRunnerDeps['pace']): Promise<void> {
    for (let count = 0; count < 168; count += 1) await pace.take('gitea', 'registration', { writes: 1 });
  }

  test('an agent whose turn has not come is told when, and nothing is asked of the CI system', async () => {
    await useUp(deps.pace);

    const outcome = await ask(deps, 'nonce');

    const detail = "gitea takes 160 registrations a minute: this agent's turn comes in about 63 s";
    expect(outcome).toEqual({ outcome: 'unavailable', code: 'CiUnavailable', detail, retryAfterSeconds: 35 });
    expect(deps.ci.scopes).toEqual([]);
    const record = await deps.launches.get('job');
    expect(record).toMatchObject({ status: 'launching', signal: { code: 'CiUnavailable', detail } });
  });

  test('an agent that asks again in its turn is registered, with as few requests as if it were the first time', async () => {
    await useUp(deps.pace);
    await ask(deps, 'early');
    nowEpochMs += 63_000;

    const outcome = await ask(deps, 'in its turn');

    expect(outcome.outcome).toBe('registered');
    expect(deps.ci.scopes).toHaveLength(1);
  });

  test('agents that are refused together come one after another, as many in each slot as it takes, and one more', async () => {
    await useUp(deps.pace);
    nowEpochMs += 63_000;
    const secondsOf = async () => {
      const refusal = await deps.pace.take('gitea', 'registration', { writes: 1 });
      return refusal === undefined ? undefined : retrySecondsUntil(refusal.untilEpochMs, nowEpochMs);
    };

    const seconds = await Promise.all(Array.from({ length: 200 }, secondsOf));

    const slots = Map.groupBy(seconds, (each) => (each === undefined ? 'now' : Math.floor(each / 3)));
    // Its own slot's eight, and those of the one for which the minute still has room.
    expect(slots.get('now')).toHaveLength(16);
    expect(Array.from({ length: 6 }, (_, index) => slots.get(index + 2)?.length)).toEqual(
      Array.from({ length: 6 }, () => 9),
    );
    expect(Math.max(...seconds.map((each) => each ?? 0))).toBeLessThanOrEqual(55);
  });

  test('shares the pause that the CI system asks for: another function makes no request', async () => {
    deps.ci.failure = down;
    deps.ci.pausedUntilEpochMs = nowEpochMs + 40_000;
    await ask(deps, 'first');
    const asked = deps.ci.scopes.length;

    const outcome = await ask(deps, 'second');

    expect(outcome).toMatchObject({ outcome: 'unavailable', code: 'CiUnavailable', retryAfterSeconds: 40 });
    expect(deps.ci.scopes).toHaveLength(asked);
  });
});

/** Runs other actions before and after each call. */
function slowed(ci: FakeRunners, wait: () => Promise<void>): ReturnType<RegisterRunnerDeps['ciSystemOf']> {
  const around = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    await wait();
    const answer = await call();
    await wait();
    return answer;
  };
  return {
    register: (scope, runner) => around(() => ci.register(scope, runner)),
    removeIfIdle: (scope, id) => around(() => ci.removeIfIdle(scope, id)),
    runnersNamed: (scope, wanted) => around(() => ci.runnersNamed(scope, wanted)),
    usage: () => ci.usage(),
  };
}
