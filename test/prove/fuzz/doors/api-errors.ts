import assert from 'node:assert/strict';
import { ApiException } from '@kubernetes/client-node';
import * as fc from 'fast-check';
import { toDavitError } from '../../../../adapters/kubernetes/to-davit-error.ts';
import { errorCodes, isErrorCode } from '../../../../core/errors/error-codes.ts';
import { codeOfMessage, DavitError } from '../../../../core/errors/errors.ts';
import type { JsonValue } from '../../../../local/json-value.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import { defineDoor } from '../door.ts';

const words: readonly (readonly [number, string, string])[] = [
  [403, 'Forbidden', 'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=9, limited: pods=9'],
  [403, 'Forbidden', 'pods "x" is forbidden: violates PodSecurity "restricted:latest"'],
  [404, 'NotFound', 'namespaces "davit-agents" not found'],
  [409, 'AlreadyExists', 'services "x" already exists'],
  [422, 'Invalid', 'Pod "x" is invalid: spec.containers[0].image: Required value'],
  [429, 'TooManyRequests', 'too many requests, please try again later'],
  [500, 'InternalError', 'failed to allocate a nodePort: range is full'],
  [503, 'ServiceUnavailable', 'etcdserver: leader changed'],
];

const statuses = words.map(([code, reason, message]): JsonValue => {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
});
const anyBody = fc.oneof(...statuses.map((status) => mutatedJson(status)));

const anyCode = weighted([4, fc.constantFrom(...words.map(([code]) => code))], [1, fc.integer({ min: 100, max: 999 })]);

const anyHeaders = fc.dictionary(
  fc.constantFrom('retry-after', 'content-type', '__proto__', 'audit-id'),
  fc.oneof(fc.constantFrom('1', '0', '-1', '1e999', 'Wed, 21 Oct 2026 07:28:00 GMT', ''), odd.text),
  { maxKeys: 2 },
);

const anyAnswer = fc
  .tuple(anyCode, fc.oneof(anyBody.map(jsonText), fc.constantFrom('<html>', ''), odd.text), anyHeaders)
  .map(([code, body, headers]): Error => new ApiException(code, 'refused', body, headers));

/** The error that fetch throws for a failed connection, with any message. */
const anyConnectionError = fc
  .oneof(fc.constantFrom('ECONNRESET aborted', 'no answer in time', ''), odd.text)
  .map((message): Error => new TypeError('fetch failed', { cause: new Error(message) }));

const subject = { cluster: 'main', namespace: 'agents', pod: 'davit-x' };
const maxMessageCharacters = 1100;

/** The refusals of an API server: each gets one family and one code, whatever its message. */
export const apiErrorsDoor = defineDoor({
  inputs: weighted([5, anyAnswer], [1, anyConnectionError]),
  open: () => (error) => {
    const judged = toDavitError(error, { what: 'create pods', endpoint: 'https://192.0.2.1', subject });
    assert.ok(judged instanceof DavitError, 'it got no family');
    assert.ok(isErrorCode(judged.code));
    assert.equal(`${errorCodes[judged.code].family}error`, judged.name.toLowerCase());
    assert.equal(codeOfMessage(judged.message), judged.code);
    assert.ok(judged.message.endsWith('(cluster main, namespace agents, pod davit-x)'));
    assert.ok(judged.message.length <= maxMessageCharacters, `${judged.message.length} characters`);
    return `${judged.name} ${judged.code}`;
  },
});
