import { setImmediate as nextTurn } from 'node:timers/promises';
import { TooManyRequests } from '../../../../local/runtime/invocation.ts';
import { observationsAtOnce, orPending, stepsAtOnce, stepTurns } from '../../../../local/runtime/step-turns.ts';
import { Turns } from '../../../../local/runtime/turns.ts';
import { eventually } from '../../../support/eventually.ts';

test('a few steps are at work at a time, although their turns are over, and answers and waits still begin', async () => {
  const turns = new Turns({ atOnce: 1, turnMs: 1 });
  const { run: runStep } = stepTurns(turns);
  const over = Promise.withResolvers<void>();
  const began: string[] = [];
  const create = async () => {
    began.push('create-pod');
    await over.promise;
  };

  const steps = Array.from({ length: stepsAtOnce + 1 }, () => runStep('create-pod', create));
  await eventually(() => expect(began).toHaveLength(stepsAtOnce));
  await expect(runStep('poll-host-ip', async () => 'an address')).resolves.toBe('an address');
  await expect(turns.answer(async () => 'a webhook')).resolves.toBe('a webhook');
  const meanwhile = began.length;
  over.resolve();
  await Promise.all(steps);

  expect(meanwhile).toBe(stepsAtOnce);
  expect(began).toHaveLength(stepsAtOnce + 1);
});

test('a limited number of unconnected agents is observed at a time, and other steps still get their turn', async () => {
  const over = Promise.withResolvers<void>();
  let observed = 0;
  const observe = () => {
    observed += 1;
    return over.promise;
  };
  const stepsTurns = stepTurns(new Turns({ atOnce: 1 }));

  const looks = Array.from({ length: observationsAtOnce + 1 }, () => stepsTurns.observe(observe));
  await nextTurn();
  const meanwhile = observed;
  await expect(stepsTurns.run('create-pod', async () => 'a Pod')).resolves.toBe('a Pod');
  over.resolve();
  await Promise.all(looks);

  expect(meanwhile).toBe(observationsAtOnce);
  expect(observed).toBe(observationsAtOnce + 1);
});

test('a token is published while as many agents are observed as may be, and its look waits', async () => {
  const over = Promise.withResolvers<void>();
  const { run, observe } = stepTurns(new Turns({ atOnce: 1 }));
  const looks = Array.from({ length: observationsAtOnce }, () => observe(() => over.promise));
  const told: string[] = [];

  const step = run('publish-token', async () => {
    told.push('published');
    await observe(async () => void told.push('looked'));
  });
  await eventually(() => expect(told).toEqual(['published']));
  over.resolve();
  await Promise.all([...looks, step]);

  expect(told).toEqual(['published', 'looked']);
});

test('a step that publishes and then looks begins after the steps that work, and does not keep them waiting', async () => {
  const over = Promise.withResolvers<void>();
  const { run } = stepTurns(new Turns({ atOnce: stepsAtOnce }));
  const steps = Array.from({ length: stepsAtOnce }, () => run('create-pod', () => over.promise));
  const told: string[] = [];

  const looking = Promise.withResolvers<void>();
  const step = run('publish-token', async () => {
    told.push('published');
    await looking.promise;
  });
  await nextTurn();
  const meanwhile = [...told];
  over.resolve();
  await Promise.all(steps);
  await eventually(() => expect(told).toEqual(['published']));
  const others = Array.from({ length: stepsAtOnce }, () => run('create-pod', async () => undefined));
  await Promise.all(others);
  looking.resolve();
  await step;

  expect(meanwhile).toEqual([]);
});

test('a look whose turn does not come soon has seen nothing', async () => {
  const refused = orPending(() => Promise.reject(new TooManyRequests()));
  const failing = orPending(() => Promise.reject(new TypeError('x is undefined')));

  await expect(refused(async () => undefined)).rejects.toMatchObject({ name: 'PendingError', code: 'ConnectPending' });
  await expect(failing(async () => undefined)).rejects.toBeInstanceOf(TypeError);
});

test('of launches that began together, those that have come further go on first', async () => {
  const over = Promise.withResolvers<void>();
  const { run } = stepTurns(new Turns({ atOnce: stepsAtOnce }));
  const busy = Array.from({ length: stepsAtOnce }, () => run('create-service', () => over.promise));
  const began: string[] = [];
  const waiting = ['relaunch', 'create-service', 'create-pod', 'create-service', 'create-pod'].map((name) =>
    run(name, async () => void began.push(name)),
  );
  over.resolve();
  await Promise.all([...busy, ...waiting]);

  expect(began).toEqual(['create-pod', 'create-pod', 'relaunch', 'create-service', 'create-service']);
});
