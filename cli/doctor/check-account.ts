import { EKSClient, paginateListAccessEntries } from '@aws-sdk/client-eks';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { EksAccess } from '../../core/config/config.ts';
import { wordsOf } from '../words-of.ts';
import { type Finding, ok, problem, skipped, warning } from './finding.ts';

/** Below this limit, the account has too few concurrent functions for davit and everything else. */
const fewFunctions = 100;
/** A waiting launch occupies a function for a quarter of the time. */
const launchesPerFunction = 4;
/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const quotaCode = 'L-B99A9384';

/** Checks how many functions the account can run at once: needs lambda:GetAccountSettings. */
export async function checkConcurrency(region?: string): Promise<Finding> {
  const about = "the account's Lambda concurrency";
  const client = new LambdaClient(region === undefined ? {} : { region });
  try {
    const { AccountLimit: { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: free = all } = {} } =
      await client.send(new GetAccountSettingsCommand({}));
    const what = `${all} at once, ${free} of them not reserved: about ${free * launchesPerFunction} launches can wait`;
    if (free >= fewFunctions) return ok(about, what);
    const fix = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code ${quotaCode} --desired-value 1000`;
    return warning(about, what, 'When they are used up, webhooks and agents are refused.', fix);
  } catch (error) {
    return skipped(about, wordsOf(error));
  } finally {
    client.destroy();
  }
}

/**
 * Checks whether an EKS cluster has access entries for davit's roles: needs eks:ListAccessEntries.
 *
 * @param roles the ARNs of davit's roles, from its stack's outputs
 */
export async function checkAccessEntries(
  name: string,
  { clusterName, region }: EksAccess,
  roles: readonly string[],
): Promise<Finding> {
  const about = `cluster ${name}: access of davit's roles`;
  const client = new EKSClient(region === undefined ? {} : { region });
  try {
    const known = new Set<string>();
    for await (const page of paginateListAccessEntries({ client }, { clusterName })) {
      for (const entry of page.accessEntries ?? []) known.add(entry);
    }
    const missing = roles.filter((role) => !known.has(role));
    if (missing.length === 0) return ok(about, `each of the ${roles.length} has an access entry`);
    const place = region === undefined ? '' : ` --region ${region}`;
    const command = `aws eks create-access-entry --cluster-name ${clusterName}${place} --kubernetes-groups davit --principal-arn`;
    const what = `no access entry for ${missing.join(', ')}`;
    const fix = `for role in ${missing.join(' ')}; do ${command} $role; done`;
    return problem(about, what, 'The cluster refuses their steps: no launch succeeds there.', fix);
  } catch (error) {
    return skipped(about, wordsOf(error));
  } finally {
    client.destroy();
  }
}
