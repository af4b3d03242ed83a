import * as fc from 'fast-check';
import type { JsonValue } from '../../../../local/json-value.ts';
import { mangledBytes } from '../arbitraries/mangled-bytes.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import type { FuzzRequest } from '../http/fuzz-request.ts';
import { knownLaunches } from '../http/fuzzed-davit.ts';
import { secrets } from '../http/secrets.ts';

const asked = {
  profile: 'linux',
  jobId: 'nightly/42',
  labels: { team: 'build', 'example.com/tier': 'a' },
  env: { TOKEN: secrets.callersEnv, PLACE: 'here' },
  sourceUrl: 'https://ci.example/jobs/42',
};

/** The same with labels and variables by names that JavaScript reserves: valid for Kubernetes and for a shell. */
const reservedNames = fc.dictionary(odd.reservedKey, fc.constantFrom('', 'a', 'Object'), { maxKeys: 3 });
const anyAsked: fc.Arbitrary<JsonValue> = weighted(
  [9, mutatedJson(asked)],
  [1, fc.record({ labels: reservedNames, env: reservedNames }).map((named) => ({ ...asked, ...named }))],
);

const nothing = Buffer.alloc(0);
const plain = { query: {}, headers: [], body: nothing };

const anyId = weighted(
  [4, fc.constantFrom(...Object.values(knownLaunches))],
  [1, fc.constantFrom('github-9-9-9', 'a', 'a'.repeat(55), 'GITHUB-1-1-1', `${knownLaunches.ready} `)],
  [2, odd.text],
);

const anyPost: fc.Arbitrary<FuzzRequest> = mangledBytes(anyAsked.map(jsonText)).map((body) => ({
  ...plain,
  method: 'POST',
  segments: ['launches'],
  headers: [['content-type', 'application/json']],
  body,
}));

const cursor = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const anyQuery = fc.dictionary(
  weighted([6, fc.constantFrom('status', 'limit', 'cursor')], [1, odd.key]),
  weighted(
    [3, fc.constantFrom('launching', 'failed,connected', 'failed,,', 'launching,launching')],
    [3, fc.constantFrom('1', '100', '0', '101', '007', '1e1', '-1', ' 1', '٣')],
    [
      2,
      fc.constantFrom(
        cursor({ status: 'launching', requestedAtEpochMs: 1, launchId: knownLaunches.ready }),
        cursor({ status: 'launching', requestedAtEpochMs: '1', launchId: null }),
        cursor([]),
      ),
    ],
    [2, odd.text],
  ),
  { maxKeys: 3 },
);

const anyList = anyQuery.map((query): FuzzRequest => ({ ...plain, method: 'GET', segments: ['launches'], query }));

const anyOther: fc.Arbitrary<FuzzRequest> = fc
  .tuple(weighted([9, fc.constantFrom('GET', 'DELETE')], [1, fc.constantFrom('PUT', 'POST', 'get', '')]), anyId)
  .map(([method, id]) => ({ ...plain, method, segments: ['launches', id] }));

/** Any request about launches. */
export const anyLaunchesRequest: fc.Arbitrary<FuzzRequest> = weighted([6, anyPost], [2, anyList], [2, anyOther]);
