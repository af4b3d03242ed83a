import { checkAccessEntries, checkConcurrency } from '../../../cli/doctor/check-account.ts';
import { checkPublicUrl } from '../../../cli/doctor/check-public-url.ts';
import { eksKubeconfig } from '../../../cli/doctor/eks-kubeconfig.ts';
import {
  awsOutput,
  type ScriptedAnswer,
  type ScriptedAws,
  scriptedAwsOfTests,
} from '../../support/start-scripted-aws.ts';

const before = { ...process.env };
const aws = scriptedAwsOfTests();
beforeEach(() => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 's', AWS_MAX_ATTEMPTS: '1' });
});
afterEach(() => {
  process.env = { ...before };
});

async function withAnswer(...answers: ScriptedAnswer[]): Promise<ScriptedAws> {
  const service = await aws.start(...answers);
  process.env['AWS_ENDPOINT_URL'] = service.url;
  return service;
}

const json = { 'content-type': 'application/json' };
const refusal: ScriptedAnswer = {
  status: 403,
  headers: { ...json, 'x-amzn-errortype': 'AccessDeniedException' },
  body: JSON.stringify({ message: 'may not' }),
};

describe("an account's concurrency", () => {
  test.each([
    [1000, 1000, 'ok', '1000 at once, 1000 of them not reserved: about 4000 launches can wait'],
    [1000, 99, 'warning', '1000 at once, 99 of them not reserved: about 396 launches can wait'],
    [10, 10, 'warning', '10 at once, 10 of them not reserved: about 40 launches can wait'],
  ])('of %i, of which %i are not reserved, is %s', async (all, free, verdict, what) => {
    await withAnswer(awsOutput({ AccountLimit: { ConcurrentExecutions: all, UnreservedConcurrentExecutions: free } }));

    expect(await checkConcurrency('eu-central-1')).toMatchObject({ verdict, what });
  });

  test('is not judged when the caller may not see it', async () => {
    await withAnswer(refusal);

    expect(await checkConcurrency('eu-central-1')).toMatchObject({ verdict: 'skipped', what: 'may not' });
  });
});

describe('an EKS cluster', () => {
  const eks = { clusterName: 'Builds', region: 'eu-central-1' };
  const [one, other] = ['arn:aws:iam::111122223333:role/one', 'arn:aws:iam::111122223333:role/other'];

  test("with davit's roles passes", async () => {
    await withAnswer(awsOutput({ accessEntries: [one], nextToken: 't' }), awsOutput({ accessEntries: [other] }));

    expect(await checkAccessEntries('builds', eks, [one, other])).toMatchObject({ verdict: 'ok' });
  });

  test('without them is a problem, with the command that makes the access entries', async () => {
    await withAnswer(awsOutput({ accessEntries: [one] }));

    expect(await checkAccessEntries('builds', eks, [one, other])).toMatchObject({
      verdict: 'problem',
      what: `no access entry for ${other}`,
      fix: `for role in ${other}; do aws eks create-access-entry --cluster-name Builds --region eu-central-1 --kubernetes-groups davit --principal-arn $role; done`,
    });
  });

  test("is reached without a kubeconfig, by a token of the caller's own", async () => {
    const { requests } = await withAnswer(
      awsOutput({ cluster: { endpoint: 'https://eks.example.com', certificateAuthority: { data: 'Y2E=' } } }),
    );

    const kubeconfig = await eksKubeconfig({ name: 'builds', eks });

    expect(requests.map(({ path }) => path)).toEqual(['/clusters/Builds']);
    expect(JSON.parse(kubeconfig)).toMatchObject({
      clusters: [{ cluster: { server: 'https://eks.example.com', 'certificate-authority-data': 'Y2E=' } }],
      users: [{ user: { token: expect.stringMatching(/^k8s-aws-v1\./) } }],
    });
  });
});

describe('the public URL', () => {
  const problem = (slug: string) => JSON.stringify({ type: `https://davit.dev/problems/${slug}` });

  test.each([
    ['passes if davit refuses a caller without a credential', 401, problem('credential-refused'), 'ok'],
    ['fails if another server refuses', 401, 'Unauthorized', 'problem'],
    ['fails if a proxy answers', 404, '<html>', 'problem'],
  ])('%s', async (_what, status, body, verdict) => {
    const server = await withAnswer({ status, body });

    expect(await checkPublicUrl(server.url)).toMatchObject({ verdict });
    expect(server.requests).toMatchObject([{ method: 'POST', path: '/agents/doctor/connect' }]);
  });

  test('that this machine cannot reach may still work for Pods', async () => {
    expect(await checkPublicUrl('http://127.0.0.1:9')).toMatchObject({
      verdict: 'warning',
      fix: expect.stringContaining('--deep'),
    });
  });
});
