/**
 * Prints the objects that a cluster needs before davit can launch into it, as a manifest for `kubectl apply`: `davit
 * rbac`.
 */

import { stringify } from 'yaml';
import { clusterObjects } from '../cdk/rbac/cluster-objects.ts';
import { identityOn } from '../cdk/rbac/davit-identity.ts';
import { ConfigError } from '../core/config/config-problem.ts';
import { readConfig } from '../core/config/read-config.ts';
import { ArgumentError } from '../local/read-arguments.ts';
import { onClosedPipe } from './on-closed-pipe.ts';
import { checkNamespaces, clusterOf, rbacHelp, readRbacArguments } from './rbac/arguments.ts';

onClosedPipe(process.stdout);
try {
  const options = readRbacArguments(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(`${rbacHelp}\n`);
  } else {
    const config = await readConfig(options.config);
    checkNamespaces(config, options.limits);
    const cluster = clusterOf(config, options.cluster);
    const objects = clusterObjects(config, cluster.name, options.identity ?? identityOn(cluster), options.limits);
    // Each object is its own document, because an anchor is valid only within its document.
    process.stdout.write(objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n'));
  }
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof ArgumentError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
