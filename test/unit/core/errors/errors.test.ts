import * as fc from 'fast-check';
import { errorCodes, isErrorCode, isMoveCode } from '../../../../core/errors/error-codes.ts';
import {
  ClusterAwayError,
  codeOfMessage,
  PendingError,
  RelaunchError,
  TerminalError,
  TransientError,
} from '../../../../core/errors/errors.ts';

test('the message has the code, then the detail, then the names of its subject', () => {
  const error = new TerminalError('NameCollision', 'it is not ours', {
    launchId: 'github-1-2-1',
    cluster: 'sandbox',
    namespace: 'agents',
    service: 'davit-github-1-2-1',
  });

  expect(error.message).toBe(
    'NameCollision: it is not ours (launch github-1-2-1, cluster sandbox, namespace agents, service davit-github-1-2-1)',
  );
  expect(error.detail).toBe('it is not ours');
});

test('an error without a subject names nothing', () => {
  expect(new PendingError('QuotaExceeded', 'full').message).toBe('QuotaExceeded: full');
});

test('each family has the name that the state machine matches', () => {
  expect(new PendingError('RemovalPending', '').name).toBe('PendingError');
  expect(new TransientError('ClusterFault', '').name).toBe('TransientError');
  expect(new ClusterAwayError('ClusterUnreachable', '').name).toBe('ClusterAwayError');
  expect(new RelaunchError('ClusterAway', '').name).toBe('RelaunchError');
  expect(new TerminalError('PodFailed', '').name).toBe('TerminalError');
});

test('a transient error knows why the cluster could not be reached, where that is the trouble', () => {
  const error = new TransientError('ClusterUnreachable', 'gone', { cluster: 'eu-1' }, { reason: 'TimedOut' });

  expect(error).toMatchObject({ reason: 'TimedOut', code: 'ClusterUnreachable', subject: { cluster: 'eu-1' } });
  expect(error.message).toBe('ClusterUnreachable: gone (cluster eu-1)');
  expect(new TransientError('StoreUnavailable', 'throttled').reason).toBeUndefined();
});

test('an error keeps its cause', () => {
  const cause = new Error('socket hang up');

  expect(new TransientError('ClusterUnreachable', 'gone', {}, { cause }).cause).toBe(cause);
});

test("an error cuts the cluster's words at 1000 characters, and names its subject after them", () => {
  const error = new TerminalError('ObjectInvalid', 'x'.repeat(5000), { pod: 'davit-x' });

  expect(error.message).toBe(`ObjectInvalid: ${'x'.repeat(1000)}… (pod davit-x)`);
  expect(new TerminalError('ObjectInvalid', 'x'.repeat(1000)).detail).toBe('x'.repeat(1000));
});

test("an error stays well-formed Unicode where it cuts the cluster's words", () => {
  const error = new TerminalError('ObjectInvalid', `${'x'.repeat(999)}🚀`);

  expect(error.message).toBe(`ObjectInvalid: ${'x'.repeat(999)}\uFFFD…`);
});

test('the code of any davit error can be read from its message, which is all that Step Functions keeps', () => {
  const terminalCodes = Object.entries(errorCodes)
    .filter(([, { family }]) => family === 'terminal')
    .map(([code]) => code);
  fc.assert(
    fc.property(fc.constantFrom(...terminalCodes), fc.string(), (code, detail) => {
      expect(codeOfMessage(`${code}: ${detail}`)).toBe(code);
    }),
  );
  expect(codeOfMessage(new TransientError('StoreUnavailable', 'throttled').message)).toBe('StoreUnavailable');
});

test.each(['', 'PodFailed', ' PodFailed: x', 'TypeError: x is undefined', 'toString: x', '__proto__: x', '{"a":1}'])(
  '%j is not the message of a davit error',
  (message) => {
    expect(codeOfMessage(message)).toBeUndefined();
  },
);

test.each(Object.entries(errorCodes))('%s has a sentence of meaning, and advice', (_code, entry) => {
  expect(entry.means).toMatch(/^\S.*\.$/);
  expect(entry.advice).toMatch(/^\S.*\.$/);
});

test('a launch moves to another cluster for three codes only', () => {
  const codes = Object.keys(errorCodes).filter(isErrorCode).filter(isMoveCode);

  expect(codes.toSorted()).toEqual(['ClusterAway', 'ClusterFull', 'ClusterRefused']);
});

test("an error masks an agent's credential before it cuts the cluster's words", () => {
  const credential = 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl';
  const filler = 'x'.repeat(980);

  expect(new TerminalError('AdmissionDenied', `env: ${credential}`).detail).toBe('env: [masked]');
  expect(new TerminalError('ObjectInvalid', `${filler} ${credential} ${filler}`).detail).toBe(
    `${filler} [masked] ${'x'.repeat(10)}…`,
  );
});
