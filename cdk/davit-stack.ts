import type { StackProps } from 'aws-cdk-lib';
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DavitProps } from './constructs/davit.ts';
import { Davit } from './constructs/davit.ts';

/** One davit in a stack of its own, which prints where webhooks go. */
export class DavitStack extends Stack {
  readonly davit: Davit;
  /** What `cdk deploy` prints. */
  readonly outputs: readonly CfnOutput[];

  constructor(scope: Construct, id: string, props: DavitProps & StackProps) {
    super(scope, id, props);
    this.davit = new Davit(this, 'Davit', props);
    const { api, stateMachine, functions } = this.davit;
    const output = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description });
    this.outputs = [
      ...props.config.webhooks.map(({ provider }) =>
        output(`WebhookUrl-${provider}`, `${api.url}/webhooks/${provider}`, `Where ${provider} sends its webhooks`),
      ),
      output('ApiUrl', api.url, 'The HTTP API; /launches asks for IAM'),
      output('StateMachineArn', stateMachine.stateMachineArn, 'The state machine: one execution a launch'),
      output(
        'SweepFunction',
        functions.sweep.lambda.functionName,
        'Sweeps by itself; {"dryRun":true} shows what it sees',
      ),
    ];
  }
}
