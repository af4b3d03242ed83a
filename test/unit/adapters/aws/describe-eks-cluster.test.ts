import { createEksClient, describeEksCluster } from '../../../../adapters/aws/describe-eks-cluster.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import { type EksAnswer, type FakeEks, startFakeEks } from '../../../support/start-fake-eks.ts';

const server = { endpoint: 'https://1A2B.gr7.eu-central-1.eks.amazonaws.com', certificateAuthority: 'LS0tLS1CRUdJTi' };
const throttling = { httpStatus: 429, error: 'ThrottlingException', message: 'Rate exceeded' };
const denied =
  'User: arn:aws:sts::111122223333:assumed-role/davit/create-pod is not authorized to perform: eks:DescribeCluster on resource: arn:aws:eks:eu-central-1:111122223333:cluster/build-eu';

let eks: FakeEks | undefined;
afterEach(async () => {
  await eks?.stop();
});

/** Describes a cluster. EKS gives these answers in order; the last one repeats. */
async function describe(...answers: (EksAnswer | undefined)[]) {
  eks = await startFakeEks(() => (answers.length > 1 ? answers.shift() : answers[0]));
  const client = createEksClient({ ...localAws(eks.url), region: 'eu-central-1' });
  return await describeEksCluster(client, 'prod', { clusterName: 'build-eu' });
}

test("a cluster's endpoint is EKS's answer", async () => {
  expect(await describe(server)).toEqual(server);
  expect(eks?.asked).toEqual(['build-eu']);
});

test('a cluster is found after EKS has throttled', async () => {
  expect(await describe(throttling, throttling, server)).toEqual(server);
});

const call = 'EKS DescribeCluster of build-eu in eu-central-1';
const noServer = 'EKS DescribeCluster: cluster build-eu has no API server, its status is CREATING';

test.each<[what: string, answer: EksAnswer | undefined, error: string, detail: string]>([
  [
    'does not exist',
    undefined,
    'TerminalError EksClusterMissing',
    `${call}: ResourceNotFoundException: No cluster found for name: build-eu.`,
  ],
  [
    'davit may not describe',
    { httpStatus: 403, error: 'AccessDeniedException', message: denied },
    'TerminalError EksAccessDenied',
    `${call}: AccessDeniedException: ${denied}`,
  ],
  [
    'EKS keeps throttling',
    throttling,
    'TransientError StoreUnavailable',
    'EKS DescribeCluster: ThrottlingException: Rate exceeded',
  ],
  [
    'EKS keeps failing on',
    { httpStatus: 500, error: 'ServerException', message: 'sorry' },
    'TransientError StoreUnavailable',
    'ServerException: sorry',
  ],
  ['is still being created', { status: 'CREATING' }, 'TransientError ClusterUnreachable', noServer],
  ['could not be created', { status: 'FAILED' }, 'TerminalError EksClusterMissing', 'FAILED'],
])('a cluster that %s is an error about the cluster', async (_what, answer, error, detail) => {
  const [name, code] = error.split(' ');

  await expect(describe(answer)).rejects.toMatchObject({ name, code, detail: expect.stringContaining(detail) });
});
