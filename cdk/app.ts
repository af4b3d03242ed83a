/**
 * The CDK app: one stack, made from davit.yaml. `cdk synth` runs it.
 *
 *     cdk deploy -c config=other.yaml     another config file
 *     cdk deploy -c throwAway=true        CloudFormation deletes the tables and logs with the stack
 *     cdk deploy -c vpcId=vpc-0123abcd    the functions that reach clusters or CI systems run in that VPC's private subnets
 *     cdk deploy -c createConcurrency=50  davit creates at most 50 Services and 50 Pods at once
 *     cdk deploy -c answerConcurrency=50  davit always has room to answer 50 webhooks and 50 agents at once
 *     cdk deploy -c domainName=davit.example.com -c certificateArn=arn:…   a name of its own for the API
 *     cdk deploy -c publicUrl=https://davit.example.com   agents and webhooks reach the API there, through a proxy
 */
import { App, Tags } from 'aws-cdk-lib';
import { ConfigError } from '../core/config/config-problem.ts';
import { readConfig } from '../core/config/read-config.ts';
import { acceptCheckovFindings, holdToAwsSolutions } from './accepted-findings.ts';
import { appContext, ContextError } from './app-context.ts';
import { DavitStack } from './davit-stack.ts';
import { stackPropsOf } from './stack-props.ts';

const app = new App();
try {
  const { config, vpcId, ...options } = appContext((key) => app.node.tryGetContext(key));
  const stack = new DavitStack(app, 'Davit', {
    ...stackPropsOf(await readConfig(config), options),
    ...(vpcId === undefined ? {} : { vpcId, env: environmentOfCredentials() }),
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
