/**
 * The CDK app: one stack of what davit.yaml says. `cdk synth` runs it.
 *
 *     cdk deploy -c config=other.yaml     another config file
 *     cdk deploy -c throwAway=true        tables and logs go with the stack
 *     cdk deploy -c vpcId=vpc-0123abcd    the functions that reach clusters run in that VPC's private subnets
 *     cdk deploy -c createConcurrency=50  at most so many Services, and so many Pods, are being made at once
 *     cdk deploy -c domainName=davit.example.com -c certificateArn=arn:…   the API's own name
 */
import { App, RemovalPolicy, Tags } from 'aws-cdk-lib';
import { ConfigError } from '../local/config/config-problem.ts';
import { readConfig } from '../local/config/read-config.ts';
import { holdToAwsSolutions } from './accepted-findings.ts';
import { appContext, ContextError } from './app-context.ts';
import { DavitStack } from './davit-stack.ts';

const app = new App();
try {
  const { config, throwAway, vpcId, createConcurrency, domainName, certificateArn } = appContext((key) =>
    app.node.tryGetContext(key),
  );
  const stack = new DavitStack(app, 'Davit', {
    description: 'davit: launches CI build agents in Kubernetes',
    config: await readConfig(config),
    removalPolicy: throwAway ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    ...(vpcId === undefined ? {} : { vpcId, env: whereTheCredentialsAre() }),
    ...(domainName === undefined || certificateArn === undefined ? {} : { ownName: { domainName, certificateArn } }),
    ...(createConcurrency === undefined
      ? {}
      : { reservedConcurrency: { 'create-service': createConcurrency, 'create-pod': createConcurrency } }),
  });
  Tags.of(stack).add('application', 'davit');
  holdToAwsSolutions(app, stack.davit);
} catch (error) {
  // A mistake in davit.yaml is told in the words of the local runtime, without a stack trace.
  if (!(error instanceof ConfigError || error instanceof ContextError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** A VPC is looked up in one account and region: those of the credentials, which the CDK CLI tells. */
function whereTheCredentialsAre(): { account: string; region: string } {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  if (account !== undefined && region !== undefined) return { account, region };
  throw new ContextError('-c vpcId: it is looked up in your account, for which there are no credentials');
}
