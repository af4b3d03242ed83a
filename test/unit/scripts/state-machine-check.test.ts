import { readFileSync } from 'node:fs';
import { aslValidatorCheck, stateMachineProblems } from '../../../scripts/checks/state-machine-check.ts';

const definition = readFileSync(new URL('../../../statemachine/launch.asl.json', import.meta.url), 'utf8');

test("AWS's editor service finds nothing in the state machine", async () => {
  const problems = await stateMachineProblems(definition);

  expect(problems).toEqual([]);
});

test('a dangling state reference is found, with its place', async () => {
  const broken = definition.replace('"Next": "CreatePod"', '"Next": "CreatePots"');

  const problems = await stateMachineProblems(broken);

  expect(problems).toContain(
    'statemachine/launch.asl.json:13: The value of "Next" property must be the name of an existing state.',
  );
});

test('asl-validator finds nothing in the state machine', async () => {
  expect(await aslValidatorCheck.findings()).toEqual([]);
});
