import { bucketNameOf, uploadMissing } from '../../../../cli/deploy/bucket.ts';
import { archiveOf } from '../../../../cli/deploy/bundle-archives.ts';
import { deployerPolicy } from '../../../../cli/deploy/deployer-policy.ts';
import { checkStackName } from '../../../../cli/deploy/deployment.ts';
import { eksClustersIn, readTemplateOptions, templateUrl } from '../../../../cli/deploy/prepare.ts';
import { parseConfig } from '../../../../core/config/read-config.ts';

const deployment = { stackName: 'Davit', account: '111122223333', region: 'eu-central-1', partition: 'aws' };

describe("the bucket's name", () => {
  test.each([
    ['Davit', 'davit-davit-111122223333-eu-central-1'],
    ['Builds-Of-Acme-Production', 'davit-builds-of-acme-25cf131b-111122223333-eu-central-1'],
  ])('of the stack %s is %s', (stackName, name) => {
    expect(bucketNameOf({ ...deployment, stackName })).toBe(name);
  });

  test('is short enough for the longest name of a stack, in the region with the longest name', () => {
    const longest = { ...deployment, stackName: 'a'.repeat(128), region: 'ap-southeast-1' };
    expect(bucketNameOf(longest)).toMatch(/^[a-z0-9-]{1,63}$/);
  });
});

test('the same files are the same archive; another byte is another', () => {
  const one = archiveOf({ 'index.mjs': 'a', 'davit.json': '{}' });
  const same = archiveOf({ 'davit.json': '{}', 'index.mjs': 'a' });

  expect(same.key).toBe(one.key);
  expect(same.zip()).toEqual(one.zip());
  expect(one.key).toMatch(/^bundles\/[0-9a-f]{64}\.zip$/);
  expect(archiveOf({ 'index.mjs': 'b', 'davit.json': '{}' }).key).not.toBe(one.key);
});

test('only missing archives are uploaded, each once', async () => {
  const [one, other] = [archiveOf({ a: '1' }), archiveOf({ a: '2' })];
  const put: string[] = [];
  const bucket = { put: async (key: string) => void put.push(key) };

  const { count, bytes } = await uploadMissing(bucket, new Set([one.key]), [one, other, other]);

  expect(put).toEqual([other.key]);
  expect({ count, bytes }).toEqual({ count: 1, bytes: other.zip().length });
});

test('CloudFormation reads a template from the bucket of its region', () => {
  expect(templateUrl(deployment, 'b', 'templates/1.json')).toBe(
    'https://b.s3.eu-central-1.amazonaws.com/templates/1.json',
  );
  const china = { ...deployment, region: 'cn-north-1', partition: 'aws-cn' };
  expect(templateUrl(china, 'b', 't')).toBe('https://b.s3.cn-north-1.amazonaws.com.cn/t');
});

describe('options', () => {
  test('of a VPC need its subnets', () => {
    expect(readTemplateOptions({ vpcId: 'vpc-1', subnetIds: 'subnet-1,subnet-2' }).network).toEqual({
      vpcId: 'vpc-1',
      subnetIds: ['subnet-1', 'subnet-2'],
    });
  });

  test.each([
    [{ vpcId: 'vpc-1' }, /^expected --vpc-id and --subnet-ids subnet-1,subnet-2 together$/],
    [{ subnetIds: 'subnet-1' }, /^expected --vpc-id and --subnet-ids/],
    [{ vpcId: 'vpc-1', subnetIds: 'one' }, /; found one$/],
    [{ vpcId: 'mine' }, /^--vpc-id: expected vpc- and its number$/],
    [{ publicUrl: 'http://davit.example.com' }, /^--public-url: expected an https URL$/],
    [{ createConcurrency: '0' }, /^--create-concurrency: /],
    [{ domainName: 'davit.example.com' }, /^--domain-name: expected the certificate with it/],
  ])('%j are refused by the name of the option', (given, message) => {
    expect(() => readTemplateOptions(given)).toThrow(message);
  });
});

describe('access entries', () => {
  const configOf = (eks: string) =>
    parseConfig(
      `clusters: [{ name: builds, eks: ${eks} }, { name: again, eks: { clusterName: Builds } }]
profiles: [{ name: linux, labels: [linux], clusters: [builds], namespace: agents, agentPort: 8811, template: { spec: { containers: [{ name: agent, image: i }] } } }]
`,
      'davit.yaml',
    );

  test.each(['{ clusterName: Builds }', '{ clusterName: Builds, region: eu-central-1 }'])(
    'are made in a cluster of the region, once: %s',
    (eks) => {
      expect(eksClustersIn(configOf(eks), deployment)).toEqual(['Builds']);
    },
  );

  test('are refused for a cluster of another region', () => {
    expect(() => eksClustersIn(configOf('{ clusterName: Far, region: us-east-1 }'), deployment)).toThrow(
      /^--eks-access: the cluster Far is in us-east-1; /,
    );
  });

  test('are refused for a cluster whose server is given, since it may be in another account', () => {
    const server =
      '{ endpoint: "https://far.example.com", certificateAuthority: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t }';
    expect(() => eksClustersIn(configOf(`{ clusterName: Far, server: ${server} }`), deployment)).toThrow(
      /^--eks-access: the cluster Far may be in another account; /,
    );
  });
});

test.each(['', '1davit', 'da vit', 'a'.repeat(129)])('%j is no name of a stack', (name) => {
  expect(() => checkStackName(name)).toThrow(/^--stack: expected a letter/);
});

describe("the deployer's policy", () => {
  const options = {
    secrets: ['token', 'arn:aws:secretsmanager:eu-central-1:1:secret:x'],
    isInVpc: true,
    hasEksAccess: true,
    hasDomain: true,
  };
  const policy = deployerPolicy(deployment, options);

  test('fits into a managed policy', () => {
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    expect(JSON.stringify(policy).length).toBeLessThanOrEqual(6144);
  });

  test("names the stack's own roles, bucket and secrets", () => {
    const of = (sid: string) => policy.Statement.find(({ Sid }) => Sid === sid)?.Resource;

    expect(of('Roles')).toBe('arn:aws:iam::111122223333:role/Davit-*');
    expect(of('Bundles')).toBe('arn:aws:s3:::davit-davit-111122223333-eu-central-1/*');
    expect(of('Secrets')).toEqual([
      'arn:aws:secretsmanager:eu-central-1:111122223333:secret:token-*',
      'arn:aws:secretsmanager:eu-central-1:1:secret:x',
      'arn:aws:secretsmanager:eu-central-1:111122223333:secret:Davit*',
    ]);
  });

  test('has no more actions on everything than those that AWS cannot restrict, or names at random', () => {
    const everywhere = deployerPolicy(deployment, {
      secrets: [],
      isInVpc: false,
      hasDomain: false,
      hasEksAccess: false,
    }).Statement.filter(({ Resource }) => Resource === '*');
    expect(everywhere.map(({ Sid }) => Sid)).toEqual(['Names', 'Sources', 'LogDelivery', 'Monitoring']);
  });
});
