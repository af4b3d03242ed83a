import { readFileSync } from 'node:fs';
import { parseDefinition } from '../../../local/machine/definition.ts';

const text = readFileSync(new URL('../../../statemachine/launch.asl.json', import.meta.url), 'utf8');

describe('the simulated Step Functions', () => {
  test('reads the state machine that is deployed', () => {
    expect(Object.keys(parseDefinition(text).States)).toContain('PublishToken');
  });

  test.each([
    ['a type of state', '"Type": "Fail"', '"Type": "Wait"'],
    ['a field of a state', '"ErrorPath":', '"Error":'],
    ['an integration', 'states:::lambda:invoke"', 'states:::sqs:sendMessage"'],
    ['an operator of a Choice', '"StringEquals"', '"StringMatches"'],
    ['a strategy of jitter', '"JitterStrategy": "FULL"', '"JitterStrategy": "HALF"'],
    ['a path', '"ResultPath": "$.service"', '"ResultPath": "$.service[0]"'],
    ['a function', '${CleanUpFunctionArn}', '${NotifyFunctionArn}'],
  ])('refuses %s that it does not know', (_what, known, unknown) => {
    expect(() => parseDefinition(text.replace(known, unknown))).toThrow();
  });
});
