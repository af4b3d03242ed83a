import { createEksClient, describeEksCluster } from '../../../../adapters/aws/describe-eks-cluster.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import { type EksAnswer, type FakeEks, startFakeEks } from '../../../support/start-fake-eks.ts';

const server = { endpoint: 'https://1A2B.gr7.eu-central-1.eks.amazonaws.com', certificateAuthority: 'LS0tLS1CRUdJTi' };
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
  const throttled = { httpStatus: 429, error: 'ThrottlingException', message: 'Rate exceeded' };

  expect(await describe(throttled, throttled, server)).toEqual(server);
});

test.each<[what: string, answer: EksAnswer | undefined, error: object]>([
  [
    'does not exist',
    undefined,
    {
      name: 'TerminalError',
      code: 'EksClusterMissing',
      detail:
        'EKS DescribeCluster of build-eu in eu-central-1: ResourceNotFoundException: No cluster found for name: build-eu.',
    },
  ],
  [
    'davit may not describe',
    { httpStatus: 403, error: 'AccessDeniedException', message: denied },
    {
      name: 'TerminalError',
      code: 'EksAccessDenied',
      detail: `EKS DescribeCluster of build-eu in eu-central-1: AccessDeniedException: ${denied}`,
    },
  ],
  [
    'EKS keeps throttling',
    { httpStatus: 429, error: 'ThrottlingException', message: 'Rate exceeded' },
    {
      name: 'TransientError',
      code: 'StoreUnavailable',
      detail: 'EKS DescribeCluster: ThrottlingException: Rate exceeded',
    },
  ],
  [
    'EKS keeps failing on',
    { httpStatus: 500, error: 'ServerException', message: 'sorry' },
    { name: 'TransientError', code: 'StoreUnavailable' },
  ],
  [
    'is still being created',
    { status: 'CREATING' },
    {
      name: 'TransientError',
      code: 'ClusterUnreachable',
      detail: 'EKS DescribeCluster: cluster build-eu has no API server, its status is CREATING',
    },
  ],
  ['could not be created', { status: 'FAILED' }, { name: 'TerminalError', code: 'EksClusterMissing' }],
])('a cluster that %s is an error about the cluster', async (_what, answer, error) => {
  await expect(describe(answer)).rejects.toMatchObject(error);
});
