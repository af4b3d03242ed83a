import { setImmediate as nextTurn } from 'node:timers/promises';
import { observationsAtOnce, stepsAtOnce, stepTurns } from '../../../../local/runtime/step-turns.ts';
import { Turns } from '../../../../local/runtime/turns.ts';
import { eventually } from '../../../support/eventually.ts';

test('a few steps are at work at a time, although their turns are over, and answers and waits still begin', async () => {
  const turns = new Turns({ atOnce: 1, turnMs: 1 });
  const runStep = stepTurns(turns);
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
  const runStep = stepTurns(new Turns({ atOnce: 1 }));

  const looks = Array.from({ length: observationsAtOnce + 1 }, () => runStep('await-agent', observe));
  await nextTurn();
  const meanwhile = observed;
  await expect(runStep('create-pod', async () => 'a Pod')).resolves.toBe('a Pod');
  over.resolve();
  await Promise.all(looks);

  expect(meanwhile).toBe(observationsAtOnce);
  expect(observed).toBe(observationsAtOnce + 1);
});
