import { HttpMethod, RequestContext } from '@kubernetes/client-node';
import type { ClusterAccess } from '../../../../adapters/kubernetes/cluster-access.ts';
import { type EksSource, eksAccess } from '../../../../adapters/kubernetes/eks-access.ts';
import type { EksServer } from '../../../../core/config/config.ts';
import { makeServerCertificate } from '../../../../sandbox/api/certificates.ts';

const minuteMs = 60_000;
const prod = { name: 'prod', eks: { clusterName: 'build-eu' } };

let server: EksServer;
let moved: EksServer;
let nowEpochMs: number;
let answers: EksServer[];
let described: number;
let tokens: number;
const source: EksSource = {
  nowEpochMs: () => nowEpochMs,
  describe: async () => {
    described += 1;
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw new Error('EKS has no answer');
    return answer;
  },
  createToken: async () => {
    tokens += 1;
    return { token: `token-${tokens}`, renewAtEpochMs: nowEpochMs + 10 * minuteMs };
  },
};

async function authorizationBy({ kubeConfig, endpoint }: ClusterAccess): Promise<string | undefined> {
  const context = new RequestContext(endpoint, HttpMethod.GET);
  await kubeConfig.applySecurityAuthentication(context);
  return context.getHeaders()['Authorization'];
}

beforeAll(async () => {
  const { certificatePem } = await makeServerCertificate();
  server = { endpoint: 'https://one.example', certificateAuthority: Buffer.from(certificatePem).toString('base64') };
  moved = { ...server, endpoint: 'https://other.example' };
});
beforeEach(() => {
  nowEpochMs = 1_780_308_000_000;
  answers = [server];
  described = 0;
  tokens = 0;
});

describe('the address of the API server', () => {
  test('is read from EKS once in five minutes', async () => {
    const { read } = eksAccess(source, prod);

    const first = await read();
    nowEpochMs += 5 * minuteMs - 1;
    const second = await read();

    expect(first.endpoint).toBe('https://one.example');
    expect(second).toBe(first);
    expect(described).toBe(1);
  });

  test('is read again after that, and the access stays the same object while the answer does', async () => {
    answers = [server, server, moved];
    const { read } = eksAccess(source, prod);

    const first = await read();
    nowEpochMs += 5 * minuteMs;
    const second = await read();
    nowEpochMs += 5 * minuteMs;
    const third = await read();

    expect(second).toBe(first);
    expect(third.endpoint).toBe('https://other.example');
  });

  test('is not read from EKS when the config has it', async () => {
    const { read, refresh } = eksAccess(source, { ...prod, eks: { ...prod.eks, server } });

    expect((await read()).endpoint).toBe('https://one.example');
    expect((await refresh()).endpoint).toBe('https://one.example');
    expect(described).toBe(0);
  });

  test('with an invalid certificate authority is an error', async () => {
    answers = [{ ...server, certificateAuthority: Buffer.from('-----BEGIN').toString('base64') }];

    await expect(eksAccess(source, prod).read()).rejects.toMatchObject({
      code: 'EksClusterMissing',
      detail: 'the certificate of the authority of https://one.example is no PEM in base64',
    });
  });
});

describe('the token', () => {
  test('is made at the first call, and reused until it is due for renewal', async () => {
    const access = await eksAccess(source, prod).read();
    const authorization = () => authorizationBy(access);
    expect(tokens).toBe(0);

    const first = await authorization();
    nowEpochMs += 10 * minuteMs - 1;
    const second = await authorization();
    nowEpochMs += 1;
    const third = await authorization();

    expect([first, second, third]).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  test('is made again after a refusal, with a fresh address from EKS', async () => {
    const { read, refresh } = eksAccess(source, prod);
    const before = await read();
    await authorizationBy(before);

    const after = await refresh();

    expect(await authorizationBy(after)).toBe('Bearer token-2');
    expect(await read()).toBe(after);
    expect(described).toBe(2);
  });
});
