import { PendingError, RelaunchError } from '../../../../core/errors/errors.ts';
import { readFailure } from '../../../../logic/steps/read-failure.ts';
import { failureOf } from '../../../support/failure-of.ts';

const code = 'Unexpected';

test.each([
  {
    fact: 'a davit error',
    failure: failureOf(new PendingError('NodePortPending', 'the Service has no nodePort')),
    read: { code: 'NodePortPending', message: 'NodePortPending: the Service has no nodePort' },
  },
  {
    fact: 'a davit error with the names of its subject',
    failure: failureOf(new RelaunchError('PodEvicted', 'drained', { pod: 'davit-x', node: 'node-1' })),
    read: { code: 'PodEvicted', message: 'PodEvicted: drained (pod davit-x, node node-1)' },
  },
  {
    fact: 'a davit error that the local engine gives as plain text',
    failure: { Error: 'TerminalError', Cause: 'PodFailed: phase Failed' },
    read: { code: 'PodFailed', message: 'PodFailed: phase Failed' },
  },
  {
    fact: 'a defect, without its trace',
    failure: failureOf(new TypeError('x is undefined')),
    read: { code, message: 'TypeError: x is undefined' },
  },
  {
    fact: 'a defect whose message only looks like a davit code',
    failure: failureOf(new Error('toString: no')),
    read: { code, message: 'Error: toString: no' },
  },
  {
    fact: 'a time-out of Step Functions, without a cause',
    failure: { Error: 'States.Timeout', Cause: '' },
    read: { code, message: 'States.Timeout: ' },
  },
  {
    fact: 'plain text',
    failure: { Error: 'Lambda.ServiceException', Cause: 'Service: AWSLambda; Status Code: 500' },
    read: { code, message: 'Lambda.ServiceException: Service: AWSLambda; Status Code: 500' },
  },
  {
    fact: 'JSON that is not an error',
    failure: { Error: 'X', Cause: '[1,2]' },
    read: { code, message: 'X: [1,2]' },
  },
  {
    fact: 'truncated JSON',
    failure: { Error: 'X', Cause: '{"errorType":"TerminalEr' },
    read: { code, message: 'X: {"errorType":"TerminalEr' },
  },
  {
    fact: 'an error whose message is not text',
    failure: { Error: 'X', Cause: '{"errorType":"Y","errorMessage":null}' },
    read: { code, message: 'X: {"errorType":"Y","errorMessage":null}' },
  },
])("$fact is read from Catch's data", ({ failure, read }) => {
  expect(readFailure(failure)).toEqual(read);
});

test('a message is cut at 4,000 characters, so that a record stays small', () => {
  const { message } = readFailure(failureOf(new Error('x'.repeat(5000))));

  expect(message).toBe(`Error: ${'x'.repeat(4000)}`);
});

test('a message is well-formed Unicode, wherever it is cut', () => {
  const { message } = readFailure({ Error: 'Error', Cause: `${'x'.repeat(3999)}🚀` });

  expect(message).toBe(`Error: ${'x'.repeat(3999)}\uFFFD`);
});
