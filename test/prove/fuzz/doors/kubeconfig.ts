import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { openClusters } from '../../../../adapters/kubernetes/open-clusters.ts';
import { readKubeconfig } from '../../../../adapters/kubernetes/read-kubeconfig.ts';
import { isErrorCode } from '../../../../core/errors/error-codes.ts';
import { DavitError } from '../../../../core/errors/errors.ts';
import type { JsonValue } from '../../../../local/json-value.ts';
import { byKubeconfig } from '../../../support/by-kubeconfig.ts';
import { fixedSecrets } from '../../../support/fixed-secrets.ts';
import { mangledBytes } from '../arbitraries/mangled-bytes.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import { defineDoor } from '../door.ts';
import { assertNoSecret, secrets } from '../http/secrets.ts';

/** Nothing listens at this address, so every call fails at once. */
const deadServer = 'http://127.0.0.1:9';

function kubeconfigWith(token: string): { [key: string]: JsonValue } {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    clusters: [{ name: 'main', cluster: { server: deadServer, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'davit', user: { token } }],
    contexts: [{ name: 'main', context: { cluster: 'main', user: 'davit' } }],
  };
}

const token = secrets.kubeconfigToken;
const kubeconfig = kubeconfigWith(token);

/** Tokens that no header can carry, for example from a file with an extra newline. */
const oddTokens = fc.oneof(
  fc.constantFrom(`${token}\n`, `${token}\r\nx: y`, `${token}\0`, `${token}é`, `${token}画像`, ` ${token}`),
  odd.text.map((text) => `${token}${text}`),
);

/** The fields of a user entry beside a token. None of them may run a program or read a file. */
const otherUsers = fc.constantFrom<JsonValue[]>(
  { username: 'davit', password: `${token}:` },
  { 'client-certificate-data': 'bm90IGEgY2VydGlmaWNhdGU=', 'client-key-data': 'bm90IGEga2V5' },
  { 'client-certificate-data': '%%%', token },
  {},
);

const texts = weighted(
  [3, mutatedJson(kubeconfig).map(jsonText)],
  [1, fc.constant(stringify(kubeconfig))],
  [1, oddTokens.map((oddToken) => JSON.stringify(kubeconfigWith(oddToken)))],
  [1, otherUsers.map((user) => JSON.stringify({ ...kubeconfig, users: [{ name: 'davit', user }] }))],
);

/** The text of a cluster's secret: it opens, or the error names the cluster and never the credentials. */
export const kubeconfigDoor = defineDoor({
  inputs: mangledBytes(texts).map((bytes) => bytes.toString()),
  open: () => {
    const clusters = [{ name: 'main', kubeconfigSecret: 'id' }];
    return async (text) => {
      const open = openClusters(clusters, byKubeconfig(fixedSecrets(text)), {
        callMs: 2000,
        silenceMs: 2000,
        pauseMs: 1,
      });
      try {
        const { pods } = await open('main');
        if (leadsAway(readKubeconfig(text).endpoint)) return 'opens';
        await pods.get('agents', 'davit-x');
      } catch (error) {
        return checkError(error);
      }
      throw new Error('something answered where nothing listens');
    };
  },
});

function leadsAway(endpoint: string): boolean {
  const url = URL.parse(`${endpoint}/api`);
  return url !== null && url.hostname !== '127.0.0.1';
}

function checkError(error: unknown): string {
  if (!(error instanceof DavitError)) throw error;
  assertNoSecret(error.message, 'the error');
  assert.ok(isErrorCode(error.code));
  assert.ok(error.message.includes('cluster main'), `names no cluster: ${error.message}`);
  return `${error.name} ${error.code}`;
}
