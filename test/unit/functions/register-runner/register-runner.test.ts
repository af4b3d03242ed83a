import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { TerminalError, TransientError } from '../../../../functions/domain/errors.ts';
import type { RegistrationOutcome } from '../../../../functions/domain/registration-outcome.ts';
import { type RegisterRunnerDeps, registerRunner } from '../../../../functions/register-runner/register-runner.ts';
import { agentOf, endingOf, epochMs, joinedPlanOf, recordOf, signalOf } from '../../../contract/launch-fixtures.ts';
import { FakeRunners } from '../../../support/fake-runners.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';
import { memoryRegistrations } from '../../../support/memory-registrations.ts';

const installationId = '0a1b2c3d';
const name = 'davit-0a1b2c3d-job';
const agent = agentOf('job');
const down = new TransientError('CiUnavailable', 'gitea: POST /runners: 502: Bad gateway');
const refused = new TerminalError('CiRefused', 'gitea: POST /runners: 403: must be an owner');

/** A launch whose agent is to be registered at this CI system. */
async function makeDeps(ci = new FakeRunners(), plan = joinedPlanOf('job')) {
  const launches = new MemoryLaunches();
  const registrations = memoryRegistrations(launches);
  await launches.request(recordOf('job', { plan }));
  const deps = {
    launches,
    registrations,
    ciSystemOf: (system) => {
      if (system !== 'gitea') throw new TerminalError('CiRefused', `davit.yaml has no CI system ${system}`);
      return ci;
    },
    installationId,
    nowEpochMs: () => epochMs,
  } satisfies RegisterRunnerDeps;
  return { ...deps, ci };
}
type Deps = RegisterRunnerDeps & Pick<Awaited<ReturnType<typeof makeDeps>>, 'ci' | 'launches' | 'registrations'>;

/** Begins a registration, as connect does, and has it made. */
async function ask(deps: Deps, nonce: string): Promise<RegistrationOutcome> {
  const begun = await deps.registrations.begin(agent, nonce, epochMs);
  if (begun === undefined) return { outcome: 'over' };
  return registerRunner(deps, { ...agent, nonce });
}

function idsOf({ ci }: Deps): number[] {
  return ci.runners.map(({ id }) => id);
}

describe('an agent', () => {
  test('is registered under its name and its labels, in its scope, and its launch is connected', async () => {
    const deps = await makeDeps();

    const outcome = await ask(deps, 'nonce');

    expect(outcome).toEqual({ outcome: 'registered', environment: { JOIN_WITH: 'secret of 1' } });
    expect(deps.ci.runners).toEqual([{ id: 1, name, labels: ['linux'] }]);
    expect(deps.ci.scopes).toEqual([{ organization: 'acme' }]);
    expect(await deps.launches.get('job')).toMatchObject({ status: 'connected', runner: { id: 1, name } });
  });

  test('of a profile with a runner group is registered there', async () => {
    const join = { ciSystem: 'gitea', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 300 };
    const deps = await makeDeps(new FakeRunners(), joinedPlanOf('job', { join: { ...join, runnerGroup: 'builds' } }));

    await ask(deps, 'nonce');

    expect(deps.ci.runners).toEqual([{ id: 1, name, labels: ['linux'], group: 'builds' }]);
  });

  test('that asks again, because an answer was lost, is registered anew, and its first runner is gone', async () => {
    for (const sharesNames of [false, true]) {
      const deps = await makeDeps(Object.assign(new FakeRunners(), { sharesNames }));
      await ask(deps, 'first');

      const outcome = await ask(deps, 'second');

      expect(outcome).toEqual({ outcome: 'registered', environment: { JOIN_WITH: 'secret of 2' } });
      expect(idsOf(deps)).toEqual([2]);
      const record = await deps.launches.get('job');
      expect(record).toMatchObject({ runner: { id: 2 } });
      expect(record).not.toHaveProperty('deregisteredAtEpochMs');
    }
  });

  test('that asks again while its runner runs a job is sent away, and its runner stays', async () => {
    const deps = await makeDeps();
    await ask(deps, 'first');
    deps.ci.busy.add(1);

    expect(await ask(deps, 'second')).toEqual({ outcome: 'over' });
    expect(idsOf(deps)).toEqual([1]);
    expect(await deps.launches.get('job')).toMatchObject({ status: 'connected', runner: { id: 1 } });
  });

  test('that is bound to a job is sent away without a word to the CI system', async () => {
    const deps = await makeDeps();
    await ask(deps, 'first');
    await deps.registrations.begin(agent, 'second', epochMs);
    await deps.registrations.bind('job', 1, 'gitea/1/8/1', epochMs);
    deps.ci.scopes.length = 0;

    expect(await registerRunner(deps, { ...agent, nonce: 'second' })).toEqual({ outcome: 'over' });
    expect(deps.ci.scopes).toEqual([]);
  });

  test('whose registration died after the CI system had made its runner gets another one, and the first is gone', async () => {
    for (const sharesNames of [false, true]) {
      const deps = await makeDeps(Object.assign(new FakeRunners(), { sharesNames }));
      deps.ci.after('register', async () => {
        throw new Error('Runtime.ExitError');
      });
      await expect(ask(deps, 'first')).rejects.toThrow('Runtime.ExitError');
      expect(idsOf(deps)).toEqual([1]);

      const outcome = await ask(deps, 'second');

      expect(outcome).toMatchObject({ outcome: 'registered' });
      expect(idsOf(deps)).toEqual([2]);
    }
  });

  test('whose name somebody has taken gets it back on the first registration, too', async () => {
    const deps = await makeDeps();
    deps.ci.runners.push({ id: 99, name, labels: [] }, { id: 98, name: `${name}-other`, labels: [] });

    expect(await ask(deps, 'nonce')).toMatchObject({ outcome: 'registered' });
    expect(idsOf(deps)).toEqual([98, 1]);
  });

  test('of an earlier generation, of a launch that is over or retiring, or of none gets no runner', async () => {
    const ended = await makeDeps();
    await ended.registrations.begin(agent, 'nonce', epochMs);
    await ended.launches.end('job', endingOf());
    const retiring = await makeDeps();
    await retiring.registrations.begin(agent, 'nonce', epochMs);
    await retiring.registrations.retire('job', 'surplus', epochMs);
    const another = await makeDeps();
    await another.registrations.begin(agent, 'nonce', epochMs);

    expect(await registerRunner(ended, { ...agent, nonce: 'nonce' })).toEqual({ outcome: 'over' });
    expect(await registerRunner(retiring, { ...agent, nonce: 'nonce' })).toEqual({ outcome: 'over' });
    expect(await registerRunner(another, { ...agentOf('job', 2), nonce: 'nonce' })).toEqual({ outcome: 'over' });
    expect(await registerRunner(another, { ...agentOf('none'), nonce: 'nonce' })).toEqual({ outcome: 'over' });
    for (const deps of [ended, retiring, another]) expect(deps.ci.scopes).toEqual([]);
  });

  test('that davit does not register is a mistake of the caller', async () => {
    const deps = await makeDeps();
    await deps.launches.request(recordOf('plain'));
    await deps.registrations.begin(agentOf('plain'), 'nonce', epochMs);

    await expect(registerRunner(deps, { ...agentOf('plain'), nonce: 'nonce' })).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'InputInvalid',
    });
  });
});

describe('while an agent is being registered', () => {
  test.each([
    ['ended', (deps: Deps) => deps.launches.end('job', endingOf())],
    ['retired', (deps: Deps) => deps.registrations.retire('job', 'surplus', epochMs)],
  ])('its launch is %s: no runner is left, and the agent is told', async (_what, happens) => {
    const deps = await makeDeps();
    deps.ci.after('register', () => happens(deps));

    expect(await ask(deps, 'nonce')).toEqual({ outcome: 'over' });
    expect(idsOf(deps)).toEqual([]);
    expect(await deps.launches.get('job')).not.toHaveProperty('runner');
  });

  test('it asks again: the later registration stays, and the earlier one takes back what it made', async () => {
    for (const sharesNames of [false, true]) {
      const deps = await makeDeps(Object.assign(new FakeRunners(), { sharesNames }));
      let later: RegistrationOutcome | undefined;
      deps.ci.after('register', async () => {
        later = await ask(deps, 'second');
      });

      const earlier = await ask(deps, 'first');

      expect(earlier).toEqual({ outcome: 'superseded' });
      expect(later).toMatchObject({ outcome: 'registered' });
      expect(idsOf(deps)).toEqual([2]);
      expect(await deps.launches.get('job')).toMatchObject({ runner: { id: 2 } });
    }
  });

  test('and asks again, the earlier registration, which is late, does not take the later runner for a namesake', async () => {
    const deps = await makeDeps();
    deps.ci.before('register', () => ask(deps, 'second'));

    expect(await ask(deps, 'first')).toEqual({ outcome: 'superseded' });
    expect(idsOf(deps)).toEqual([1]);
    expect(await deps.launches.get('job')).toMatchObject({ runner: { id: 1 }, registration: { nonce: 'second' } });
  });

  test('and asks again, an earlier registration that lists namesakes late leaves the later runner alone', async () => {
    for (const at of ['before', 'after'] as const) {
      const deps = await makeDeps(Object.assign(new FakeRunners(), { sharesNames: true }));
      await deps.registrations.begin(agent, 'first', epochMs);
      let later: RegistrationOutcome | undefined;
      deps.ci[at]('findRunners', async () => {
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
  ])('that %s is told of in its own words, to the agent and in the signal', async (_what, failure, code) => {
    const deps = await makeDeps(Object.assign(new FakeRunners(), { failure }));

    const outcome = await ask(deps, 'nonce');

    expect(outcome).toEqual({ outcome: 'unavailable', code, detail: failure.detail });
    expect(await deps.launches.get('job')).toMatchObject({
      status: 'launching',
      signal: { code, detail: failure.detail, sinceEpochMs: epochMs },
    });
  });

  test('that is back registers the agent, and its signal goes', async () => {
    const deps = await makeDeps(Object.assign(new FakeRunners(), { failure: down }));
    await ask(deps, 'first');
    deps.ci.failure = undefined;

    expect(await ask(deps, 'second')).toMatchObject({ outcome: 'registered' });
    expect(await deps.launches.get('job')).not.toHaveProperty('signal');
  });

  test("does not take the place of the Pod's own signal, from which a grace period counts", async () => {
    const deps = await makeDeps(Object.assign(new FakeRunners(), { failure: down }));
    await deps.launches.noteSignal('job', signalOf());

    expect(await ask(deps, 'nonce')).toMatchObject({ outcome: 'unavailable' });
    expect(await deps.launches.get('job')).toMatchObject({ signal: signalOf() });
  });

  test('that davit.yaml does not have is one that refuses', async () => {
    const deps = await makeDeps();
    const ciSystemOf = () => deps.ciSystemOf('github');

    expect(await ask({ ...deps, ciSystemOf }, 'nonce')).toMatchObject({
      outcome: 'unavailable',
      code: 'CiRefused',
      detail: 'davit.yaml has no CI system github',
    });
  });

  test('in which the name stays in use is one that is not ready', async () => {
    const deps = await makeDeps();
    const taken = async () => {
      deps.ci.runners.push({ id: 99, name, labels: [] });
    };
    await taken();
    deps.ci.after('removeIfIdle', taken);

    expect(await ask(deps, 'nonce')).toMatchObject({ outcome: 'unavailable', code: 'CiUnavailable' });
    expect(await deps.launches.get('job')).toMatchObject({ signal: { code: 'CiUnavailable' } });
  });

  test('that fails while an unwanted runner is taken back is an error, which leaves the runner to reconcile', async () => {
    const deps = await makeDeps();
    deps.ci.after('register', async () => {
      await deps.launches.end('job', endingOf());
      deps.ci.failure = down;
    });

    await expect(ask(deps, 'nonce')).rejects.toBe(down);
    expect(idsOf(deps)).toEqual([1]);
  });
});

test('however requests, endings and jobs interleave, the agent has the runner in the record, and no other is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.boolean(),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom('nothing', 'end', 'retire'),
      async (scheduler, sharesNames, times, disturbance) => {
        const ci = Object.assign(new FakeRunners(), { sharesNames });
        const deps = await makeDeps(ci);
        const wait = scheduler.scheduleFunction(async () => {});
        const slow = { ...deps, launches: deps.launches, ciSystemOf: () => slowed(ci, wait) };
        const answers: RegistrationOutcome[] = [];
        const asking = Array.from({ length: times }, async (_, index) => {
          await wait();
          answers.push(await ask(slow, `nonce ${index}`));
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

/** Lets anything happen before and after each call. */
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
    findRunners: (scope, prefix) => around(() => ci.findRunners(scope, prefix)),
  };
}
