import { ApiException } from '@kubernetes/client-node';
import { describeConnectionError, isConnectionError } from '../../adapters/kubernetes/connection-error.ts';
import { answerOf } from '../../adapters/kubernetes/to-davit-error.ts';
import * as z from '../../core/zod.ts';
import { CliError } from '../cli-error.ts';
import type { TestedCluster } from './tested-cluster.ts';

const Version = z.object({ gitVersion: z.string() });

/**
 * Asks the cluster for its version, and whether the namespace is there. A caller who may ask for neither is no problem.
 *
 * @returns the version, such as `v1.34.4`; undefined when the server does not show it
 * @throws CliError `cluster-unreachable`, `cluster-unauthorized`, `namespace-missing`
 */
export async function reachCluster({ connection, namespace }: TestedCluster): Promise<string | undefined> {
  const { endpoint } = connection;
  try {
    const version = await unlessRefused(readVersion(connection.readText('/version')));
    await unlessRefused(connection.core.readNamespace({ name: namespace }), namespaceMissing(namespace));
    return version;
  } catch (error) {
    if (error instanceof ApiException) {
      const message = `${endpoint} does not accept the credential of the kubeconfig (401)`;
      throw new CliError('refused', 'cluster-unauthorized', message, undefined, error);
    }
    if (!isConnectionError(error)) throw error;
    const message = `${endpoint} cannot be reached: ${describeConnectionError(error)}`;
    const advice = 'Check the server in the kubeconfig, and the network.';
    throw new CliError('unreachable', 'cluster-unreachable', message, advice, error);
  }
}

async function readVersion(text: Promise<string>): Promise<string | undefined> {
  try {
    return Version.safeParse(JSON.parse(await text)).data?.gitVersion;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function unlessRefused<Result>(call: Promise<Result>, ifMissing?: CliError): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiException) || error.code === 401) throw error;
    if (ifMissing !== undefined && answerOf(error).reason === 'NotFound') throw ifMissing;
    return undefined;
  }
}

function namespaceMissing(namespace: string): CliError {
  const advice = 'The checks make their objects there: kubectl create namespace NAME, or name another one.';
  return new CliError('usage', 'namespace-missing', `the cluster has no namespace ${namespace}`, advice);
}
