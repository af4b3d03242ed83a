import { readFileSync } from 'node:fs';
import { stateMachineProblems } from '../../../scripts/checks/state-machine-check.ts';

test('a dangling state reference is found, with its place', async () => {
  const definition = readFileSync(new URL('../../../statemachine/launch.asl.json', import.meta.url), 'utf8');

  const problems = await stateMachineProblems(definition.replace('"Next": "CreatePod"', '"Next": "CreatePots"'));

  expect(problems).toEqual([
    'statemachine/launch.asl.json:13: The value of "Next" property must be the name of an existing state.',
  ]);
});
