import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { calling } from '../api/aws-error.ts';
import { CliError } from '../cli-error.ts';

/** The place of a deployed davit. */
export interface Deployment {
  stackName: string;
  account: string;
  region: string;
  /** `aws`, or that of China or of the US government. */
  partition: string;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html */
const stackNamePattern = /^[A-Za-z][A-Za-z0-9-]{0,127}$/;

/** @throws CliError for a text that CloudFormation takes for no stack's name */
export function checkStackName(name: string): void {
  if (stackNamePattern.test(name)) return;
  const what = `--stack: expected a letter, then up to 127 letters, digits and hyphens; found '${name}'`;
  throw new CliError('usage', 'stack-name-invalid', what);
}

/** Finds the account and the region of the caller. @throws CliError when there are no credentials, or no region */
export async function findDeployment(stackName: string, givenRegion?: string): Promise<Deployment> {
  checkStackName(stackName);
  const client = new STSClient(givenRegion === undefined ? {} : { region: givenRegion });
  try {
    const needed = 'sts:GetCallerIdentity';
    const what = `the account of the stack ${stackName}`;
    const region = await calling(`the stack ${stackName}`, needed, client.config.region());
    const { Account: account, Arn: arn = '' } = await calling(
      what,
      needed,
      client.send(new GetCallerIdentityCommand({})),
    );
    if (account === undefined) throw new CliError('unreachable', 'no-account', 'AWS did not say which account this is');
    return { stackName, account, region, partition: arn.split(':')[1] ?? 'aws' };
  } finally {
    client.destroy();
  }
}
