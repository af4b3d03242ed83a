import { clusterObjects } from '../../cdk/rbac/cluster-objects.ts';
import { tokenIdentity } from '../../cdk/rbac/davit-identity.ts';
import type { Config } from '../../functions/domain/config.ts';
import { apply } from '../cluster/apply.ts';
import { davitToken, kubeconfigOf } from '../cluster/davit-account.ts';
import type { ApiClient } from '../contract/api-client.ts';

/** davit's name in the API server's audit log. */
export const davitUser = 'system:serviceaccount:davit-system:davit';

/** More than a bench or a chaos ever has at once. */
const maxAgents = 20_000;

/**
 * Sets a cluster up for davit, as `npm run rbac` tells platform teams to.
 *
 * @param url the API server's
 * @returns a kubeconfig with davit's own rights and no others
 * @throws Error with the server's answer when it refuses an object
 */
export async function setUpDavit(api: ApiClient, url: string, config: Config): Promise<string> {
  const [cluster] = config.clusters;
  if (cluster === undefined) throw new Error('the config has no cluster');
  for (const object of clusterObjects(config, cluster.name, tokenIdentity, { maxAgents })) await apply(api, object);
  return kubeconfigOf(davitToken, url, api);
}
