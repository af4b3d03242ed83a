import { Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type IVpc, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import * as z from 'zod';
import { functionNames, reachesClusters } from '../../cdk/function-permissions.ts';
import { config, propertiesOf, resourcesOf, textOf } from './synthesise.ts';
import { functionsOf, permissionsOf } from './synthesised-function.ts';
import { addEndpoints, davitOf, type MakeProps } from './variants.ts';

/** A stack with a davit with these props. */
function davitStack(makeProps: MakeProps): Stack {
  return Stack.of(davitOf(makeProps).davit);
}

const toldServer = {
  endpoint: 'https://1A2B.gr7.eu-central-1.eks.amazonaws.com',
  certificateAuthority: Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64'),
};

/** The services that functions call in any cluster setup. */
const always = ['dynamodb', 'events', 'lambda', 'secretsmanager', 'states'];

/** The services whose missing endpoints stop the synthesis. */
function missingEndpoints(stack: Stack): string[] {
  try {
    Template.fromStack(stack);
    return [];
  } catch (error) {
    return [...String(error).matchAll(/there is no endpoint for ([\w.-]+),/g)].map(([, service = '']) => service);
  }
}

const isolatedOnly = { subnetConfiguration: [{ name: 'closed', subnetType: SubnetType.PRIVATE_ISOLATED }] };
// Vpc is not assignable to IVpc under exactOptionalPropertyTypes.
const openVpc = (stack: Stack) => new Vpc(stack, 'Vpc') as IVpc;
const closedVpc = (stack: Stack) => new Vpc(stack, 'Vpc', isolatedOnly) as IVpc;

describe('a davit in a VPC', () => {
  test('attaches the functions that reach clusters or CI systems, and no others', () => {
    const template = Template.fromStack(davitStack((stack) => ({ vpc: openVpc(stack) })));

    const inside = propertiesOf(template, 'AWS::Lambda::Function')
      .filter((properties) => properties['VpcConfig'] !== undefined)
      .map((properties) => String(properties['Description']).replace('davit ', ''));

    const outward = [
      ...functionNames.filter(reachesClusters),
      'register-runner',
      'retire-runner',
      'report-to-ci',
      'reconcile',
      'poll-ci',
    ];
    expect(inside.toSorted()).toEqual(outward.toSorted());
    expect(inside).not.toContain('connect');
  });

  test("lets Lambda attach a function, and the function's own code attach nothing", () => {
    const template = Template.fromStack(davitStack((stack) => ({ vpc: openVpc(stack) })));

    const attaching = Match.arrayWith(['ec2:CreateNetworkInterface']);
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Allow', Action: attaching, Resource: '*' }),
          Match.objectLike({
            Effect: 'Deny',
            Action: attaching,
            Condition: { Null: { 'lambda:SourceFunctionArn': 'false' } },
          }),
        ]),
      },
    });
  });

  test('stops the synthesis for each missing endpoint when its subnets have no way out', () => {
    const stack = davitStack((scope) => ({ vpc: closedVpc(scope) }));

    const synthesis = () => Template.fromStack(stack);

    expect(synthesis).toThrow(/no way out \(closedSubnet1, closedSubnet2\), and there is no endpoint for dynamodb,/);
    for (const service of ['secretsmanager', 'states', 'lambda']) {
      expect(synthesis).toThrow(`there is no endpoint for ${service},`);
    }
  });

  test.each([
    { why: 'davit asks it for the API server', told: {}, missing: [...always, 'eks'] },
    { why: 'not where davit.yaml names the API server', told: { server: toldServer }, missing: always },
  ])('misses an endpoint for EKS when its subnets have no way out: $why', ({ told, missing }) => {
    const eks = { clusterName: 'builds', ...told };
    const onEks = { ...config, clusters: config.clusters.map(({ name }) => ({ name, eks })) };
    const stack = davitStack((scope) => ({ vpc: closedVpc(scope), config: onEks }));

    const found = missingEndpoints(stack);

    // The function itself signs a token for EKS, so STS is not among them.
    expect(found.toSorted()).toEqual(missing.toSorted());
  });

  test('accepts endpoints that are added after it', () => {
    const stack = davitStack((scope) => ({ vpc: closedVpc(scope) }));
    addEndpoints(stack.node.findChild('Vpc') as Vpc);

    expect(() => Template.fromStack(stack)).not.toThrow();
  });

  test('warns about endpoints when the VPC is imported and has no way out', () => {
    const foreign = (stack: Stack): IVpc =>
      Vpc.fromVpcAttributes(stack, 'Vpc', {
        vpcId: 'vpc-0123456789abcdef0',
        availabilityZones: ['eu-central-1a'],
        isolatedSubnetIds: ['subnet-0123456789abcdef0'],
        isolatedSubnetRouteTableIds: ['rtb-0123456789abcdef0'],
      });
    const stack = davitStack((scope) => ({ vpc: foreign(scope) }));

    Annotations.fromStack(stack).hasWarning(
      '/Theirs/Davit',
      Match.stringLikeRegexp('needs an endpoint for each of dynamodb, secretsmanager, states, lambda, events'),
    );
  });
});

describe('a customer managed key', () => {
  const template = Template.fromStack(davitStack((stack) => ({ encryptionKey: new Key(stack, 'Key') })));
  const [keyId] = resourcesOf(template, 'AWS::KMS::Key').keys();
  const keyArn = { 'Fn::GetAtt': [keyId, 'Arn'] };

  test('encrypts everything that davit stores', () => {
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: keyArn },
    });
    template.allResourcesProperties('AWS::SecretsManager::Secret', { KmsKeyId: keyArn });
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: keyArn });
    template.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: keyArn });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: keyArn });
    template.allResourcesProperties('AWS::Lambda::Function', { KmsKeyArn: keyArn });
    template.allResourcesProperties('AWS::Scheduler::Schedule', { KmsKeyArn: keyArn });
  });

  test('may be used by EventBridge and alarms of this account, for encrypted queues and topics', () => {
    template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Principal: { Service: ['cloudwatch.amazonaws.com', 'events.amazonaws.com'] },
            Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });

  test('may be used by CloudWatch Logs, for the log groups of this account and region', () => {
    const [key] = resourcesOf(template, 'AWS::KMS::Key').values();

    const statements = KeyPolicy.parse(key?.Properties['KeyPolicy']).Statement.filter(
      ({ Principal }) => textOf(Object(Principal).Service) === 'logs.${AWS::Region}.amazonaws.com',
    );

    expect(
      statements.map(({ Condition }) => textOf(Object(Condition).ArnLike['kms:EncryptionContext:aws:logs:arn'])),
    ).toEqual(['arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:*']);
  });

  test('may be used by the schedule, to send to and read from the queue', () => {
    const [roleId] = [...resourcesOf(template, 'AWS::IAM::Role').keys()].filter((id) => id.includes('SweepsRole'));

    const actions = permissionsOf(template, `\${${roleId}.Arn}`).filter(({ resource }) => resource === textOf(keyArn));

    // To send undeliverable events to the queue, and to read the messages that it sends.
    expect(actions.map(({ action }) => action)).toEqual(['kms:Decrypt', 'kms:GenerateDataKey', 'kms:Decrypt']);
  });

  test('may be used by each function through the services that it needs, and by Lambda for its environment', () => {
    const functionOf = functionsOf(template);

    const actions = (name: (typeof functionNames)[number]) =>
      functionOf(name)
        .permissions.filter(({ resource }) => resource === textOf(keyArn))
        .map(({ action }) => action);

    expect(functionNames.filter((name) => !actions(name).includes('kms:Decrypt'))).toEqual([]);
    expect(actions('describe-api')).toEqual(['kms:Decrypt']);
  });

  test('is used only through the service that stores the encrypted data', () => {
    const statements = propertiesOf(template, 'AWS::IAM::Policy')
      .flatMap((properties) => (properties['PolicyDocument'] as { Statement: Record<string, unknown>[] }).Statement)
      .filter(({ Resource }) => textOf(Resource) === textOf(keyArn));

    expect(statements.length).toBeGreaterThan(functionNames.length - 2);
    for (const { Condition } of statements) {
      expect(Condition).toEqual({ StringEquals: { 'kms:ViaService': expect.anything() } });
    }
  });
});

const KeyPolicy = z.object({
  Statement: z.array(z.object({ Principal: z.unknown(), Condition: z.unknown().optional() })),
});

describe('a davit behind a proxy with its own name', () => {
  const made = davitOf(() => ({ publicUrl: 'https://agents.example.com/' }));
  const template = Template.fromStack(Stack.of(made.davit));

  test("gives agents the proxy's URL", () => {
    const { environment } = functionsOf(template)('create-pod');

    expect(environment['DAVIT_PUBLIC_URL']).toBe('https://agents.example.com');
  });

  test("keeps the API's own name, which callers of /launches sign for", () => {
    expect(textOf(Stack.of(made.davit).resolve(made.davit.api.url))).toMatch(/^\$\{\w+\.ApiEndpoint\}$/);
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: false });
  });
});

describe('a davit with a custom domain', () => {
  const template = Template.fromStack(
    davitStack((stack) => ({
      customDomain: {
        domainName: 'davit.example.com',
        certificate: Certificate.fromCertificateArn(
          stack,
          'Certificate',
          'arn:aws:acm:eu-central-1:111122223333:certificate/one',
        ),
        hostedZone: HostedZone.fromHostedZoneAttributes(stack, 'Zone', { hostedZoneId: 'Z1', zoneName: 'example.com' }),
      },
    })),
  );

  test('serves its API there and nowhere else', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true });
    template.hasResourceProperties('AWS::ApiGatewayV2::ApiMapping', { Stage: '$default' });
    template.hasResourceProperties('AWS::Route53::RecordSet', { Name: 'davit.example.com.', Type: 'A' });
    template.hasResourceProperties('AWS::Route53::RecordSet', { Name: 'davit.example.com.', Type: 'AAAA' });
  });

  test('gives agents that domain', () => {
    const { environment } = functionsOf(template)('create-pod');

    expect(environment['DAVIT_PUBLIC_URL']).toBe('https://davit.example.com');
  });
});

test('a function with reserved concurrency is limited to it, and the others only by the account', () => {
  const stack = davitStack(() => ({ reservedConcurrency: { 'create-pod': 50 } }));

  const reserved = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function')
    .filter((properties) => properties['ReservedConcurrentExecutions'] !== undefined)
    .map((properties) => [properties['Description'], properties['ReservedConcurrentExecutions']]);

  expect(reserved).toEqual([['davit create-pod', 50]]);
});

test("the API's throttle takes the given limits", () => {
  const stack = davitStack(() => ({ throttle: { rateLimit: 5, burstLimit: 9 } }));

  Template.fromStack(stack).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    DefaultRouteSettings: { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 9 },
  });
});
