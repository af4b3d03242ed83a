/**
 * The CDK app: one stack of what davit.yaml says. `cdk synth` runs it.
 *
 *     cdk deploy -c config=other.yaml     another config file
 *     cdk deploy -c throwAway=true        tables and logs go with the stack
 */
import { App, RemovalPolicy, Tags } from 'aws-cdk-lib';
import * as z from 'zod';
import { ConfigError } from '../local/config/config-problem.ts';
import { readConfig } from '../local/config/read-config.ts';
import { DavitStack } from './davit-stack.ts';

const Context = z.object({
  config: z.string().min(1).default('davit.yaml'),
  throwAway: z.stringbool().or(z.boolean()).default(false),
});

const app = new App();
const context = Context.parse({
  config: app.node.tryGetContext('config'),
  throwAway: app.node.tryGetContext('throwAway'),
});
try {
  const stack = new DavitStack(app, 'Davit', {
    config: await readConfig(context.config),
    removalPolicy: context.throwAway ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    description: 'davit: launches CI build agents in Kubernetes',
  });
  Tags.of(stack).add('application', 'davit');
} catch (error) {
  // A mistake in davit.yaml is told in the words of the local runtime, without a stack trace.
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
