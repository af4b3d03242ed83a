import { createServer, type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { type LoopbackServer, listen } from '../../../local/loopback-server.ts';
import { checkSignature } from '../../support/aws/request-signature.ts';
import { startSecretsManagerServer } from '../../support/aws/secretsmanager/secretsmanager-server.ts';

const resources: AsyncDisposable[] = [];
afterEach(async () => {
  for (const resource of resources.splice(0)) await resource[Symbol.asyncDispose]();
});

/** Requests a secret from a server that has only this one. */
async function readSecret(server: LoopbackServer, secretAccessKey: string): Promise<string | undefined> {
  const credentials = { accessKeyId: 'me', secretAccessKey };
  const client = new SecretsManagerClient({ endpoint: server.url, region: 'us-east-1', credentials, maxAttempts: 1 });
  const { SecretString } = await client.send(
    new GetSecretValueCommand({ SecretId: 'kubeconfig', VersionStage: 'AWSCURRENT' }),
  );
  client.destroy();
  return SecretString;
}

test('a client with the key of this run gets the secret, and no other client does', async () => {
  await using server = await startSecretsManagerServer({ secretAccessKey: 'key of this run' });
  server.putSecret('kubeconfig', 'token: abc');

  expect(await readSecret(server, 'key of this run')).toBe('token: abc');
  await expect(readSecret(server, 'key of another run')).rejects.toMatchObject({ name: 'InvalidSignatureException' });
});

test('an unsigned request is refused', async () => {
  await using server = await startSecretsManagerServer({ secretAccessKey: 'key' });
  server.putSecret('kubeconfig', 'token: abc');
  const headers = { 'x-amz-target': 'secretsmanager.GetSecretValue' };

  const answer = await fetch(server.url, { method: 'POST', headers, body: '{"SecretId":"kubeconfig"}' });

  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ __type: 'MissingAuthenticationTokenException' });
});

describe('a signature is checked against', () => {
  const body = '{"dryRun":true}';
  const sign = async (applyChecksum: boolean, path = '/2015-03-31/functions/a%3Ab/invocations') => {
    const credentials = { accessKeyId: 'me', secretAccessKey: 'key' };
    const at = { service: 'lambda', region: 'us-east-1', credentials };
    const signer = new SignatureV4({ ...at, sha256: Sha256, applyChecksum });
    const headers = { host: '127.0.0.1', 'content-type': 'application/json' };
    const where = { method: 'POST', protocol: 'http:', hostname: '127.0.0.1', path, query: { Qualifier: '1' } };
    const signed = await signer.sign({ ...where, headers, body });
    return { url: `${path}?Qualifier=1`, headers: signed.headers, body };
  };

  /** Sends a request to a server that checks it. @returns the error's name, or `accepted` */
  async function check(sent: { url: string; headers: Record<string, string>; body: string }): Promise<string> {
    const outcome = Promise.withResolvers<string>();
    const judge = async (request: IncomingMessage) => checkSignature(request, await buffer(request), 'key');
    const server = createServer((request, response) => {
      void judge(request)
        .then(
          () => outcome.resolve('accepted'),
          (error: Error) => outcome.resolve(error.name),
        )
        .finally(() => response.end());
    });
    const { port } = await listen(server, 0, '127.0.0.1');
    const headers = { ...sent.headers, host: '127.0.0.1' };
    send({ port, host: '127.0.0.1', path: sent.url, method: 'POST', headers })
      .on('response', (response) => response.resume())
      .end(sent.body);
    const name = await outcome.promise;
    server.close();
    return name;
  }

  test.each([true, false])(
    'the request as it arrived, with the hash of its body as a header: %s',
    async (applyChecksum) => {
      expect(await check(await sign(applyChecksum))).toBe('accepted');
    },
  );

  test.each([true, false])('its body, with the hash as a header: %s', async (applyChecksum) => {
    const request = await sign(applyChecksum);

    expect(await check({ ...request, body: '{"dryRun":null}' })).toBe('InvalidSignatureException');
  });

  test('its path and its query', async () => {
    const request = await sign(true);

    expect(await check({ ...request, url: request.url.replace('a%3Ab', 'c') })).toBe('InvalidSignatureException');
    expect(await check({ ...request, url: request.url.replace('=1', '=2') })).toBe('InvalidSignatureException');
  });

  test('the signed headers', async () => {
    const request = await sign(true);
    const headers = { ...request.headers, 'content-type': 'text/plain' };

    expect(await check({ ...request, headers })).toBe('InvalidSignatureException');
  });
});
