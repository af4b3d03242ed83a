import { PendingError, RelaunchError } from '../../../../core/errors/errors.ts';
import { readFailure } from '../../../../logic/steps/read-failure.ts';
import { failureOf } from '../../../support/failure-of.ts';

test.each<[fact: string, failure: Parameters<typeof readFailure>[0], code: string, message: string]>([
  [
    'a davit error',
    failureOf(new PendingError('NodePortPending', 'the Service has no nodePort')),
    'NodePortPending',
    'NodePortPending: the Service has no nodePort',
  ],
  [
    'a davit error with the names of its subject',
    failureOf(new RelaunchError('PodEvicted', 'drained', { pod: 'davit-x', node: 'node-1' })),
    'PodEvicted',
    'PodEvicted: drained (pod davit-x, node node-1)',
  ],
  [
    'a davit error that the local engine gives as plain text',
    { Error: 'TerminalError', Cause: 'PodFailed: phase Failed' },
    'PodFailed',
    'PodFailed: phase Failed',
  ],
  ['a defect, without its trace', failureOf(new TypeError('x is no')), 'Unexpected', 'TypeError: x is no'],
  [
    'a defect whose message only looks like a davit code',
    failureOf(new Error('toString: no')),
    'Unexpected',
    'Error: toString: no',
  ],
  [
    'a time-out of Step Functions, without a cause',
    { Error: 'States.Timeout', Cause: '' },
    'Unexpected',
    'States.Timeout: ',
  ],
  ['plain text', { Error: 'X', Cause: 'Service: L; Code: 500' }, 'Unexpected', 'X: Service: L; Code: 500'],
  ['JSON that is not an error', { Error: 'X', Cause: '[1,2]' }, 'Unexpected', 'X: [1,2]'],
  ['truncated JSON', { Error: 'X', Cause: '{"errorType":"Ter' }, 'Unexpected', 'X: {"errorType":"Ter'],
  [
    'an error whose message is not text',
    { Error: 'X', Cause: '{"errorType":"Y","errorMessage":null}' },
    'Unexpected',
    'X: {"errorType":"Y","errorMessage":null}',
  ],
])("%s is read from Catch's data", (_fact, failure, code, message) => {
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
