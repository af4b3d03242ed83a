import * as z from 'zod';
import { functionNames, reachesClusters } from '../../cdk/function-permissions.ts';
import { synthesiseTemplate, type TemplateInput } from '../../cdk/synthesise-template.ts';
import { config, synthesise } from './synthesise.ts';

const Resource = z.looseObject({ Type: z.string(), Properties: z.looseObject({}).default({}) });
const Template = z.looseObject({
  Resources: z.record(z.string(), Resource),
  Outputs: z.record(z.string(), z.unknown()),
});

const keys = new Map(functionNames.map((name) => [name, `bundles/${name}.zip`]));
const input: TemplateInput = {
  stackName: 'Davit',
  config,
  options: { throwAway: false },
  bundles: { bucketName: 'own-bucket', keys },
};

function made(more: Partial<TemplateInput> = {}) {
  const { body, warnings } = synthesiseTemplate({ ...input, ...more });
  return { body, warnings, template: Template.parse(JSON.parse(body)) };
}

test('has the resources and outputs of the stack that the CDK deploys, but no trace of a bootstrap stack', () => {
  const { body, warnings, template } = made();
  const byCdk = Template.parse(synthesise().toJSON());

  expect(warnings).toEqual([]);
  expect(Object.keys(template.Resources).toSorted()).toEqual(Object.keys(byCdk.Resources).toSorted());
  expect(Object.keys(template.Outputs)).toEqual(Object.keys(byCdk.Outputs));
  expect(body).not.toMatch(/cdk-hnb659fds|BootstrapVersion|CDKMetadata/);
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
  expect(body.length).toBeLessThan(1_000_000);
});

test('every function takes its code from the bucket', () => {
  const functions = Object.values(made().template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');

  const codes = functions.map(({ Properties }) => Properties['Code']);
  expect(codes).toHaveLength(functionNames.length);
  expect(codes).toEqual(
    expect.arrayContaining(functionNames.map((name) => ({ S3Bucket: 'own-bucket', S3Key: `bundles/${name}.zip` }))),
  );
});

test('the same input is the same template', () => {
  expect(made().body).toBe(made().body);
});

test('functions that reach clusters run in the given subnets of the given VPC', () => {
  const { template } = made({ network: { vpcId: 'vpc-1', subnetIds: ['subnet-1', 'subnet-2'] } });

  const ofType = (type: string) => Object.values(template.Resources).filter(({ Type }) => Type === type);
  const networks = ofType('AWS::Lambda::Function').map(({ Properties }) => Properties['VpcConfig']);
  expect(networks).toContainEqual(expect.objectContaining({ SubnetIds: ['subnet-1', 'subnet-2'] }));
  expect(networks).toContain(undefined);
  expect(ofType('AWS::EC2::SecurityGroup')).toMatchObject([{ Properties: { VpcId: 'vpc-1' } }]);
});

test('the roles of the functions that reach clusters get an access entry in each given EKS cluster', () => {
  const { template } = made({ eksClusters: ['Builds', 'Other'] });

  const entries = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::EKS::AccessEntry');
  const names = entries.map(({ Properties }) => Properties['ClusterName']);
  const reaching = functionNames.filter(reachesClusters).length;
  expect(names.filter((name) => name === 'Builds')).toHaveLength(reaching);
  expect(names.filter((name) => name === 'Other')).toHaveLength(reaching);
  expect(entries[0]?.Properties).toMatchObject({ KubernetesGroups: ['davit'], Type: 'STANDARD' });
});

test('a bundle without a key is a mistake of the caller', () => {
  expect(() => made({ bundles: { bucketName: 'own-bucket', keys: new Map() } })).toThrow(
    /^there is no bundle of webhook$/,
  );
});
