/**
 * The CDK app: one stack, made from davit.yaml. `cdk synth` runs it.
 *
 *     cdk deploy -c config=other.yaml     another config file
 * cdk deploy -c throwAway=true        CloudFormation deletes the tables and logs with the stack
 *     cdk deploy -c vpcId=vpc-0123abcd    the functions that reach clusters run in that VPC's private subnets
 * cdk deploy -c createConcurrency=50  davit creates at most 50 Services and 50 Pods at once cdk deploy -c
 * answerConcurrency=50  davit always has room to answer 50 webhooks and 50 agents at once
 *     cdk deploy -c domainName=davit.example.com -c certificateArn=arn:…   a name of its own for the API
 *     cdk deploy -c publicUrl=https://davit.example.com   agents and webhooks reach the API there, through a proxy
 */
import { App, RemovalPolicy, Tags } from 'aws-cdk-lib';
import { ConfigError } from '../core/config/config-problem.ts';
import { readConfig } from '../core/config/read-config.ts';
import { acceptCheckovFindings, holdToAwsSolutions } from './accepted-findings.ts';
import { appContext, ContextError, reservedConcurrencyOf } from './app-context.ts';
import { DavitStack } from './davit-stack.ts';

const app = new App();
try {
  const { config, throwAway, vpcId, domainName, certificateArn, publicUrl, ...concurrency } = appContext((key) =>
    app.node.tryGetContext(key),
  );
  const stack = new DavitStack(app, 'Davit', {
    description: 'davit: launches CI build agents in Kubernetes',
    config: await readConfig(config),
    removalPolicy: throwAway ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    ...(vpcId === undefined ? {} : { vpcId, env: environmentOfCredentials() }),
    ...(domainName === undefined || certificateArn === undefined ? {} : { ownName: { domainName, certificateArn } }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    reservedConcurrency: reservedConcurrencyOf(concurrency),
  });
  Tags.of(stack).add('application', 'davit');
  acceptCheckovFindings(stack.davit);
  holdToAwsSolutions(app, stack.davit);
} catch (error) {
  // A mistake in davit.yaml prints the same message as in the local runtime, without a stack trace.
  if (!(error instanceof ConfigError || error instanceof ContextError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** A VPC is looked up in one account and region: those of the credentials, which the CDK CLI passes on. */
function environmentOfCredentials(): { account: string; region: string } {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  if (account !== undefined && region !== undefined) return { account, region };
  throw new ContextError('-c vpcId: expected credentials of the account in which the VPC is looked up');
}
