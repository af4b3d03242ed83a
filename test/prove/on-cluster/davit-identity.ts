import { clusterObjects } from '../../../cdk/rbac/cluster-objects.ts';
import { tokenIdentity } from '../../../cdk/rbac/davit-identity.ts';
import type { Config } from '../../../core/config/config.ts';
import type { ApiClient } from '../../contract/api-client.ts';
import { apply } from '../cluster/apply.ts';
import { davitToken, kubeconfigOf } from '../cluster/davit-account.ts';

/** davit's name in the API server's audit log. */
export const davitUser = 'system:serviceaccount:davit-system:davit';

/** More than a bench or a chaos run ever has at once. */
const maxAgents = 20_000;

/**
 * Sets up a cluster for davit with the output of `npx davit rbac`.
 *
 * @param url the API server's
 * @param name the cluster's name in the config.
 * @default the first one's
 * @returns a kubeconfig with only davit's own rights
 * @throws Error with the server's answer when it refuses an object
 */
export async function setUpDavit(
  api: ApiClient,
  url: string,
  config: Config,
  name = config.clusters[0]?.name ?? '',
): Promise<string> {
  for (const object of clusterObjects(config, name, tokenIdentity, { maxAgents })) await apply(api, object);
  return kubeconfigOf(davitToken, url, api);
}
