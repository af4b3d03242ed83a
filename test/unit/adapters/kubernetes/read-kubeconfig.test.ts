import { stringify } from 'yaml';
import { readKubeconfig } from '../../../../adapters/kubernetes/read-kubeconfig.ts';
import { makeServerCertificate } from '../../../../sandbox/api/certificates.ts';

type Fields = Record<string, unknown>;

/** A kubeconfig with two contexts. The second one is the current context. */
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

function errorOf(text: string): Error {
  try {
    readKubeconfig(text);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('the kubeconfig was read');
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a kubeconfig', () => {
  test('yields the server and the user of its current context, whatever the others are', async () => {
    const access = readKubeconfig(kubeconfig());

    expect(access).toMatchObject({ endpoint: 'https://prod.example:6443', authenticatedBy: 'a bearer token' });
    expect(access.kubeConfig.getCurrentUser()?.token).toBe('hunter2');
  });

  test('may be JSON', async () => {
    const text = kubeconfig();
    const { parse } = await import('yaml');

    expect(readKubeconfig(JSON.stringify(parse(text)))).toMatchObject({ endpoint: 'https://prod.example:6443' });
  });

  test('sets the requested TLS checks', async () => {
    const cluster = { 'insecure-skip-tls-verify': true, 'tls-server-name': 'kubernetes' };

    expect(readKubeconfig(kubeconfig()).kubeConfig.getCurrentCluster()).toMatchObject({ skipTLSVerify: false });
    expect(readKubeconfig(kubeconfig({ cluster })).kubeConfig.getCurrentCluster()).toMatchObject({
      skipTLSVerify: true,
      tlsServerName: 'kubernetes',
    });
  });

  test('may have a client certificate instead of a token', async () => {
    const { keyPem, certificatePem } = await makeServerCertificate();
    const user = { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64(keyPem) };

    const access = readKubeconfig(kubeconfig({ user }));

    expect(access.authenticatedBy).toBe('a client certificate');
    expect(access.kubeConfig.getCurrentUser()?.token).toBeUndefined();
  });

  test('loses the slash at the end of its server', async () => {
    const access = readKubeconfig(kubeconfig({ cluster: { server: 'https://rancher.example/k8s/c-1/' } }));

    expect(access.endpoint).toBe('https://rancher.example/k8s/c-1');
  });
});

describe('an unusable kubeconfig is refused without being quoted', () => {
  const withCluster = (cluster: Fields) => kubeconfig({ cluster });
  const withUser = (user: Fields) => kubeconfig({ user });
  /** With a good token beside other fields. */
  const beside = (user: Fields) => kubeconfig({ user: { token: 'hunter2', ...user } });
  const withTop = (top: Fields) => kubeconfig({ top });
  const exec = { command: 'aws', args: ['hunter2'] };
  const otherUser = { name: 'other', user: { 'token-file': '/etc/hunter2' } };
  const noCluster = /names no cluster that is in it/;
  const noUser = /names no user that is in it/;

  test.each<[string, string, RegExp]>([
    ['an empty text', '', /^it is no kubeconfig/],
    ['a password', 'hunter2', /^it is not a mapping/],
    ['broken YAML', 'users: [hunter2', /^it is no kubeconfig/],
    ['broken JSON', '{"users": "hunter2"', /^it is no kubeconfig/],
    ['an unresolved alias', 'users: *hunter2', /^it is no kubeconfig/],
    ['no current context', withTop({ 'current-context': '' }), noCluster],
    ['another current context', withTop({ 'current-context': 'hunter2' }), noCluster],
    ['no clusters', withTop({ clusters: [] }), noCluster],
    ['no users', withTop({ users: [] }), noUser],
    ['users that are not a list', withTop({ users: { hunter2: 1 } }), noUser],
    ['a server that is a number', withCluster({ server: 1 }), /^it is no kubeconfig/],
    ['a server without TLS', withCluster({ server: 'http://prod.example' }), /reached without TLS/],
    ['a program', withUser({ exec }), /its user has exec: a program; in a Lambda/],
    ['a program beside a token', beside({ exec }), /its user has exec/],
    ['a file', withUser({ 'client-certificate': '/hunter2', 'client-key': '/k' }), /client-certificate: a file/],
    ['an authority in a file', withCluster({ 'certificate-authority': '/ca' }), /certificate-authority: a file/],
    ['a proxy', withCluster({ 'proxy-url': 'http://hunter2@proxy' }), /its cluster has proxy-url/],
    ['an impersonated user', beside({ as: 'hunter2' }), /its user has as: davit acts as no other user/],
    ['an impersonated uid', beside({ 'as-uid': ['hunter2'] }), /its user has as-uid: davit acts as no other user/],
    ['impersonated groups', beside({ 'as-groups': ['hunter2'] }), /its user has as-groups: davit acts as no other/],
    ['impersonated extras', beside({ 'as-user-extra': ['hunter2'] }), /its user has as-user-extra: davit acts as no/],
    ['a token in a file', beside({ tokenFile: '/t' }), /its user has tokenFile: a file/],
    [
      "a file that the client would read for another user's token",
      withTop({ users: [otherUser] }),
      /one of its users has token-file: a file/,
    ],
    ['a user without credentials', withUser({}), /its user has no token, and no client-certificate-data/],
    ['an empty token', withUser({ token: '\n' }), /its user has no token/],
    ['an invalid authority', withCluster({ 'certificate-authority-data': base64('hunter2') }), /no PEM in base64/],
    ['an authority that is not base64', withCluster({ 'certificate-authority-data': '%%%' }), /no PEM in base64/],
  ])('%s', (_title, text, detail) => {
    const error = errorOf(text);

    expect(error).toMatchObject({ name: 'KubeconfigError', message: expect.stringMatching(detail) });
    expect(error.message).not.toContain('hunter2');
    expect(String(error.cause)).not.toContain('hunter2');
  });
});
