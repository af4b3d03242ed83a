import { PendingError, RelaunchError } from '../../../../core/errors/errors.ts';
import { readFailure } from '../../../../logic/steps/read-failure.ts';
import { failureOf } from '../../../support/failure-of.ts';

test.each<[fact: string, failure: Parameters<typeof readFailure>[0], message: string, code?: string]>([
  [
    'a davit error',
    failureOf(new PendingError('NodePortPending', 'the Service has no nodePort')),
    'NodePortPending: the Service has no nodePort',
    'NodePortPending',
  ],
  [
    'a davit error with the names of its subject',
    failureOf(new RelaunchError('PodEvicted', 'drained', { pod: 'davit-x', node: 'node-1' })),
    'PodEvicted: drained (pod davit-x, node node-1)',
    'PodEvicted',
  ],
  [
    'a davit error that the local engine gives as plain text',
    { Error: 'TerminalError', Cause: 'PodFailed: phase Failed' },
    'PodFailed: phase Failed',
    'PodFailed',
  ],
  ['a defect, without its trace', failureOf(new TypeError('x is undefined')), 'TypeError: x is undefined'],
  ['a defect that only looks like a davit code', failureOf(new Error('toString: no')), 'Error: toString: no'],
  ['a time-out of Step Functions, without a cause', { Error: 'States.Timeout', Cause: '' }, 'States.Timeout: '],
  ['plain text', { Error: 'Lambda', Cause: 'Service: AWS; Code: 500' }, 'Lambda: Service: AWS; Code: 500'],
  ['JSON that is not an error', { Error: 'X', Cause: '[1,2]' }, 'X: [1,2]'],
  ['truncated JSON', { Error: 'X', Cause: '{"errorType":"TerminalEr' }, 'X: {"errorType":"TerminalEr'],
  [
    'an error whose message is not text',
    { Error: 'X', Cause: '{"errorType":"Y","errorMessage":null}' },
    'X: {"errorType":"Y","errorMessage":null}',
  ],
])("%s is read from Catch's data", (_fact, failure, message, code = 'Unexpected') => {
  expect(readFailure(failure)).toEqual({ code, message });
});

test('a message is cut at 4,000 characters, so that a record stays small', () => {
  const { message } = readFailure(failureOf(new Error('x'.repeat(5000))));

  expect(message).toBe(`Error: ${'x'.repeat(4000)}`);
});

test('a message is well-formed Unicode, wherever it is cut', () => {
  const { message } = readFailure({ Error: 'Error', Cause: `${'x'.repeat(3999)}🚀` });

  expect(message).toBe(`Error: ${'x'.repeat(3999)}\uFFFD`);
});
