import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { aslValidatorCheck, stateMachineProblems } from '../../../scripts/checks/state-machine-check.ts';

const definition = readFileSync(new URL('../../../statemachine/launch.asl.json', import.meta.url), 'utf8');

test("the state machine has nothing that AWS's editor service underlines", async () => {
  const problems = await stateMachineProblems(definition);

  expect(problems).toEqual([]);
});

test('a state that leads nowhere is found, with its place', async () => {
  const broken = definition.replace('"Next": "CreatePod"', '"Next": "CreatePots"');

  const problems = await stateMachineProblems(broken);

  expect(problems).toContain(
    'statemachine/launch.asl.json:13: The value of "Next" property must be the name of an existing state.',
  );
});

test('the state machine has nothing that asl-validator finds', async () => {
  expect(await aslValidatorCheck.findings()).toEqual([]);
});
