import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { parseKubeconfig } from '../../../../../functions/adapters/kubernetes/parse-kubeconfig.ts';
import { makeServerCertificate } from '../../../../../local/cluster/api/certificates.ts';

type Fields = Record<string, unknown>;

/** A kubeconfig with two contexts, of which the second is the current one. */
function kubeconfig({ cluster = {}, user = { token: 'hunter2' }, top = {} }: Record<string, Fields> = {}): string {
  const server = { server: 'https://prod.example:6443', ...cluster };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'lab', cluster: { server: 'https://lab.example' } },
      { name: 'prod', cluster: server },
    ],
    users: [
      { name: 'somebody', user: { exec: { command: 'aws' } } },
      { name: 'davit', user },
    ],
    contexts: [
      { name: 'lab', context: { cluster: 'lab', user: 'somebody' } },
      { name: 'prod', context: { cluster: 'prod', user: 'davit', namespace: 'agents' } },
    ],
    'current-context': 'prod',
    ...top,
  });
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a kubeconfig', () => {
  test('gives the server and the user of its current context, whatever the others are', async () => {
    const access = await parseKubeconfig(kubeconfig());

    expect(access).toMatchObject({ endpoint: 'https://prod.example:6443', authenticatedBy: 'a bearer token' });
    expect(await access.authorization()).toBe('Bearer hunter2');
  });

  test('may be JSON', async () => {
    const text = kubeconfig();
    const { parse } = await import('yaml');

    expect(await parseKubeconfig(JSON.stringify(parse(text)))).toMatchObject({ endpoint: 'https://prod.example:6443' });
  });

  test('is believed about certificates as it says', async () => {
    const cluster = { 'insecure-skip-tls-verify': true, 'tls-server-name': 'kubernetes' };

    expect((await parseKubeconfig(kubeconfig())).tls).toMatchObject({ rejectUnauthorized: true });
    expect((await parseKubeconfig(kubeconfig({ cluster }))).tls).toMatchObject({
      rejectUnauthorized: false,
      servername: 'kubernetes',
    });
  });

  test('may have a certificate in place of a token', async () => {
    const { keyPem, certificatePem } = await makeServerCertificate();
    const user = { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64(keyPem) };

    const access = await parseKubeconfig(kubeconfig({ user }));

    expect(access.authenticatedBy).toBe('a client certificate');
    expect(await access.authorization()).toBeUndefined();
  });

  test('whose server ends with a slash has paths with one', async () => {
    const access = await parseKubeconfig(kubeconfig({ cluster: { server: 'https://rancher.example/k8s/c-1/' } }));

    expect(access.endpoint).toBe('https://rancher.example/k8s/c-1');
  });
});

describe('what cannot be used is refused in words that quote nothing', () => {
  const wrong: [string, string, RegExp][] = [
    ['an empty text', '', /it is not a mapping/],
    ['a password', 'hunter2', /it is not a mapping/],
    ['broken YAML', 'users: [hunter2', /neither YAML nor JSON/],
    ['broken JSON', '{"users": "hunter2"', /neither YAML nor JSON/],
    ['an alias of nothing', 'users: *hunter2', /neither YAML nor JSON/],
    ['no current context', kubeconfig({ top: { 'current-context': '' } }), /^current-context is missing/],
    [
      'another current context',
      kubeconfig({ top: { 'current-context': 'hunter2' } }),
      /names a context that is not in it/,
    ],
    ['no clusters', kubeconfig({ top: { clusters: [] } }), /names a cluster that is not in it/],
    ['no users', kubeconfig({ top: { users: [] } }), /names a user that is not in it/],
    [
      'users that are no list',
      kubeconfig({ top: { users: { hunter2: 1 } } }),
      /^users is missing, or not what it should be$/,
    ],
    ['a server that is a number', kubeconfig({ cluster: { server: 1 } }), /^cluster\.server is missing, or not/],
    ['a server without TLS', kubeconfig({ cluster: { server: 'http://prod.example' } }), /reached without TLS/],
    [
      'a program',
      kubeconfig({ user: { exec: { command: 'aws', args: ['hunter2'] } } }),
      /its user has exec: a program; in a Lambda/,
    ],
    [
      'a program beside a token',
      kubeconfig({ user: { token: 'hunter2', exec: { command: 'x' } } }),
      /its user has exec/,
    ],
    [
      'a file',
      kubeconfig({ user: { 'client-certificate': '/hunter2', 'client-key': '/k' } }),
      /client-certificate: a file/,
    ],
    [
      'a file of an authority',
      kubeconfig({ cluster: { 'certificate-authority': '/ca' } }),
      /certificate-authority: a file/,
    ],
    ['a proxy', kubeconfig({ cluster: { 'proxy-url': 'http://hunter2@proxy' } }), /its cluster has proxy-url/],
    [
      'somebody to be',
      kubeconfig({ user: { token: 'hunter2', as: 'hunter2' } }),
      /its user has as: which davit does not do/,
    ],
    ['a user without credentials', kubeconfig({ user: {} }), /its user has no token, and no client-certificate-data/],
    ['an empty token', kubeconfig({ user: { token: '\n' } }), /its user has no token/],
    [
      'an authority that is none',
      kubeconfig({ cluster: { 'certificate-authority-data': base64('hunter2') } }),
      /no PEM in base64/,
    ],
    [
      'an authority that is no base64',
      kubeconfig({ cluster: { 'certificate-authority-data': '%%%' } }),
      /cluster\.certificate-authority-data/,
    ],
  ];

  test.each(wrong)('%s', async (_title, text, says) => {
    const parsed = parseKubeconfig(text);

    await expect(parsed).rejects.toMatchObject({ name: 'KubeconfigError', message: expect.stringMatching(says) });
    await expect(parsed).rejects.not.toThrow(/hunter2/);
  });
});
