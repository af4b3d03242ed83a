import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { present } from '../../core/present.ts';
import { CliError } from '../cli-error.ts';
import { awsError } from './aws-error.ts';
import type { Connection } from './connection.ts';
import { signed } from './signed.ts';

/** The outputs of a stack, by their names. */
export type StackOutputs = Partial<Record<string, string>>;

/**
 * Finds a deployed davit by the outputs of its stack, and signs requests by the AWS SDK's chain of credentials.
 *
 * @param region @default the SDK's own
 * @throws CliError when there is no such stack, or the caller may not see it
 */
export async function openStack(stack: string, region?: string): Promise<Connection> {
  const { ApiUrl: url, SweepFunction: sweep, ReconcileFunction: reconcile } = await outputsOf(stack, region);
  if (url === undefined || sweep === undefined || reconcile === undefined) {
    throw new CliError('unknown', 'no-davit', `the stack ${stack} has no output ApiUrl: it is no davit's`);
  }
  const { config } = new CloudFormationClient(present({ region }));
  const settings = { region: await config.region(), credentials: () => config.credentials() };
  return {
    url: url.replace(/\/+$/, ''),
    fetch: async (request) => fetch(await signed(request, settings)),
    run: async (name, payload) => {
      const { invoke } = await import('./invoke.ts');
      return invoke(settings, name, { sweep, reconcile }[name], payload);
    },
  };
}

/** Reads the outputs of a stack. @throws CliError when there is no such stack, or the caller may not see it */
export async function outputsOf(stack: string, region?: string): Promise<StackOutputs> {
  const { Outputs = [] } = (await describe(stack, region)) ?? {};
  return Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/** Finds the URL that agents and webhooks use in the outputs of a stack. */
export function publicUrlOf(outputs: StackOutputs): string | undefined {
  const [, webhookUrl] = Object.entries(outputs).find(([key]) => key.startsWith('WebhookUrl')) ?? [];
  return webhookUrl?.replace(/\/webhooks\/[^/]+$/, '') ?? outputs['ApiUrl']?.replace(/\/$/, '');
}

/**
 * Reads the installation's id of a deployed davit: the first group of the UUID that ends its stack's id.
 *
 * @returns 8 of 0-9 and a-f
 * @throws CliError when there is no such stack, or the caller may not see it
 * @see installationIdOf in cdk/constructs/davit.ts
 */
export async function installationIdOfStack(stack: string, region?: string): Promise<string> {
  const { StackId: id = '' } = (await describe(stack, region)) ?? {};
  const [, found] = /\/([0-9a-f]{8})-[^/]*$/.exec(id) ?? [];
  if (found === undefined) throw new CliError('unknown', 'no-davit', `the stack ${stack} has no id with a UUID: ${id}`);
  return found;
}

async function describe(stack: string, region: string | undefined): Promise<Stack | undefined> {
  const client = new CloudFormationClient(present({ region }));
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: stack }))).Stacks?.[0];
  } catch (error) {
    throw stackError(stack, error);
  } finally {
    client.destroy();
  }
}

function stackError(stack: string, error: unknown): CliError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'ValidationError') {
    return new CliError('unknown', 'no-stack', message, 'Check the name and the region: --stack, --region.', error);
  }
  return awsError(`the stack ${stack}`, 'cloudformation:DescribeStacks', error);
}
