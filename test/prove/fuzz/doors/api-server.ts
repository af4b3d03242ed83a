import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import * as z from 'zod';
import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import { DavitError } from '../../../../core/errors/errors.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { type Answer, kubeconfigOf, startFakeApiServer } from '../../../support/fake-api-server.ts';
import { podManifest } from '../../../unit/adapters/kubernetes/fixtures.ts';
import { anyPodJson, anyServiceJson } from '../arbitraries/kubernetes-json.ts';
import { mangledBytes } from '../arbitraries/mangled-bytes.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import { defineDoor } from '../door.ts';
import { assertNoSecret, secrets } from '../http/secrets.ts';

const detail = { message: 'no', reason: 'Invalid', code: 422 };
const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...detail };
const bodies = mangledBytes(
  weighted(
    [4, anyPodJson.map(jsonText)],
    [1, anyServiceJson.map(jsonText)],
    [3, mutatedJson(status).map(jsonText)],
    [1, fc.constantFrom('<html>Sign in</html>', 'null', '""', '[]', '1')],
    [2, anyPodJson.map((object) => `${jsonText({ type: 'MODIFIED', object })}\n`)],
  ),
);

const otherStatuses = [202, 204, 301, 302, 304, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504, 599];
const statuses = weighted([3, fc.constant(200)], [1, fc.constant(201)], [4, fc.constantFrom(...otherStatuses)]);

const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      ...Array<string>(12).fill('application/json'),
      'text/html',
      'application/json; charset=utf-16',
      ';',
      '',
    ),
    'retry-after': fc.constantFrom('0', '9', '-1', 'soon', '1e999'),
    location: fc.constantFrom('/elsewhere', 'http://127.0.0.1:9/'),
    'content-encoding': fc.constantFrom(...Array<string>(9).fill('identity'), 'gzip', 'br', 'nonsense'),
  },
  { requiredKeys: [] },
);

/** The bytes that come back: an HTTP answer, half of one, or no HTTP at all. */
interface Returned {
  as: 'answer' | 'half an answer' | 'no HTTP';
  code: number;
  headers: Record<string, string>;
  body: Buffer;
}

const anyReturned: fc.Arbitrary<Returned> = fc.record({
  as: weighted([10, fc.constant('answer')], [2, fc.constantFrom('half an answer', 'no HTTP')]),
  code: statuses,
  headers,
  body: bodies,
});

function answerOf({ as, code, headers: given, body }: Returned): Answer {
  const type = { 'content-type': 'application/json' };
  switch (as) {
    case 'answer':
      return (response) => void response.writeHead(code, { ...type, ...given }).end(body);
    case 'half an answer':
      return (response) => {
        response.writeHead(200, { ...type, 'content-length': body.length + 5 });
        response.write(body, () => response.destroy());
      };
    case 'no HTTP':
      return (response) => void response.socket?.end(body);
  }
}

type Call = 'get' | 'create' | 'delete' | 'observe';

/**
 * The answers of an API server, over a real socket. davit returns an object or nothing, or throws an error with a
 * family.
 */
export const apiServerDoor = defineDoor({
  inputs: fc.tuple(fc.constantFrom<Call[]>('get', 'create', 'delete', 'observe'), anyReturned),
  open: async (opened) => {
    const server = await startFakeApiServer();
    opened.defer(() => server.stop());
    const kubeconfig = kubeconfigOf(server.url, secrets.kubeconfigToken);
    const secretStore = { read: async () => kubeconfig, refresh: async () => kubeconfig };
    const open = openClusters([{ name: 'main', kubeconfigSecret: 'id' }], byKubeconfig(secretStore), {
      callMs: 5000,
      silenceMs: 5000,
      pauseMs: 1,
    });
    return async ([call, returned]) => {
      server.answer(answerOf(returned));
      server.requests.length = 0;
      return `${call}: ${await outcomeOf(await open('main'), call)}`;
    };
  },
});

async function outcomeOf({ pods }: Cluster, call: Call): Promise<string> {
  try {
    switch (call) {
      case 'get':
        return (await pods.get('agents', 'davit-x')) === undefined ? 'nothing' : 'a Pod';
      case 'create':
        return (await pods.create(podManifest)) === undefined ? 'it exists' : 'a Pod';
      case 'delete':
        await pods.delete('agents', 'davit-x', 'uid-1');
        return 'done';
      case 'observe':
        return await observed(pods);
    }
  } catch (error) {
    assertNoSecret(String(error), 'the error');
    if (error instanceof DavitError) return error.name;
    // Valid JSON that is no Pod is a defect, and passes through as the schema's own error.
    assert.ok(error instanceof z.core.$ZodError, error instanceof Error ? error.stack : String(error));
    return 'no Pod';
  }
}

/** Each watch gets the same answer as the read: two reads are enough. */
async function observed(pods: Cluster['pods']): Promise<string> {
  let looks = 0;
  for await (const pod of pods.observe('agents', 'davit-x', { forMs: 5000 })) {
    looks += 1;
    if (pod === undefined) return 'gone';
    if (looks === 2) return 'seen';
  }
  return 'not seen';
}
