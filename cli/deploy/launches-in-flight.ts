import { apiClient } from '../api/client.ts';
import { openStack } from '../api/stack.ts';
import { CliError } from '../cli-error.ts';
import { listLaunches } from '../commands/list-launches.ts';
import type { Deployment } from './deployment.ts';

/** More need no counting. */
const mostCounted = 100;

/**
 * Counts the launches whose agents a davit would leave behind if its stack were deleted now.
 *
 * @returns at most 100; the reason why davit cannot say, if it does not answer
 */
export async function launchesInFlight({ stackName, region }: Deployment): Promise<number | string> {
  try {
    const api = apiClient(await openStack(stackName, region));
    const found = await listLaunches(api, { status: ['launching', 'connected', 'cleaning'], limit: mostCounted });
    return found.length;
  } catch (error) {
    if (error instanceof CliError) return error.message;
    throw error;
  }
}
