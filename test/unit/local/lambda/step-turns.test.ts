import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { observationsAtOnce, stepTurns } from '../../../../local/lambda/step-turns.ts';
import { Turns } from '../../../../local/lambda/turns.ts';

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
