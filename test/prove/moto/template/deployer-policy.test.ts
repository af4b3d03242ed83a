import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { deployerPolicy } from '../../../../cli/deploy/deployer-policy.ts';
import { synthesise } from '../../../cdk/synthesise.ts';
import { python } from '../python.ts';
import { TemplateShape } from './left-out.ts';

/** CloudFormation's schema of a resource type, with the calls that its handlers make: part of cfn-lint. */
const Schema = z.looseObject({
  typeName: z.string(),
  handlers: z.record(z.string(), z.looseObject({ permissions: z.array(z.string()) })).default({}),
});

/** The types of resources that only some options add. */
const ofOptions = [
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::EC2::SecurityGroup',
  'AWS::EKS::AccessEntry',
];

/** The handlers that run for a stack; `list` serves other uses. */
const used = ['create', 'read', 'update', 'delete'];

/** Calls that a handler makes only for properties that the template does not have. */
const unused: readonly [RegExp, string][] = [
  [/^(kms|kinesis|firehose|elasticfilesystem|s3files):/, 'no key of the account, no stream, no file system'],
  [/^eks:(Associate|Disassociate)AccessPolicy$/, 'the group has its rights by RBAC'],
  [/^acm-pca:/, 'the API has no certificate authority of its own'],
  [/^s3:(getObject|GetObjectVersion|GetObjectMetadata|REST\.PUT\.OBJECT|ListBucket)$/, 'no imports, no versions'],
  [
    /^iam:(CreateServiceLinkedRole|(Delete|Put)RolePermissionsBoundary|(Get|Put|Delete)(User|Group)Policy)$/,
    'only roles',
  ],
  [
    /^dynamodb:(ImportTable|CreateTableReplica|AssociateTableReplica|(Enable|Disable|Update)KinesisStreamingDestination|(Put|Delete)ResourcePolicy)$/,
    'no import, no replica, no policy of a table',
  ],
  [/^dynamodb:(Scan|Query|(Update|Put|Get|Delete)Item|BatchWriteItem)$/, 'a replica is copied so'],
  [/^lambda:(GetLayerVersion|GetCodeSigningConfig|PassCapacityProvider)$/, 'no layers, no signatures'],
  [/^secretsmanager:(ReplicateSecretToRegions|RemoveRegionsFromReplication)$/, 'no replicas'],
  [/^sns:PutDataProtectionPolicy$/, 'no data protection'],
  [/^logs:DeleteResourcePolicy$/, 'the policy of the account is not of this stack'],
];

function handlerCalls(types: ReadonlySet<string>): Set<string> {
  const lib = join(python, '..', '..', 'lib');
  const [version = ''] = readdirSync(lib);
  const folder = join(lib, version, 'site-packages', 'cfnlint', 'data', 'schemas', 'resources');
  const schemas = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => Schema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
    .filter(({ typeName }) => types.has(typeName));
  expect(new Set(schemas.map(({ typeName }) => typeName))).toEqual(types);
  const calls = schemas.flatMap(({ handlers }) => used.flatMap((name) => handlers[name]?.permissions ?? []));
  return new Set(calls);
}

test("the deployer's policy has every call of the template's handlers", () => {
  const { Resources } = TemplateShape.parse(synthesise().toJSON());
  const types = [...Object.values(Resources).map(({ Type }) => Type), ...ofOptions];
  const calls = [...handlerCalls(new Set(types))];
  const deployment = { stackName: 'Davit', account: '111122223333', region: 'eu-central-1', partition: 'aws' };
  const { Statement } = deployerPolicy(deployment, {
    secrets: [],
    isInVpc: true,
    hasDomain: true,
    hasEksAccess: true,
  });
  const allowed = Statement.flatMap(({ Action }) => Action);

  const isAllowed = (call: string) =>
    allowed.some((action) => (action.endsWith('*') ? call.startsWith(action.slice(0, -1)) : call === action));
  const lacking = calls.filter((call) => !isAllowed(call) && !unused.some(([pattern]) => pattern.test(call)));

  expect(calls.length).toBeGreaterThan(100);
  expect(lacking).toEqual([]);
});
