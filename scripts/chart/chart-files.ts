import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { agentNamespace, nodeReading } from '../../cdk/rbac/agent-namespace.ts';
import type { DavitIdentity } from '../../cdk/rbac/davit-identity.ts';
import type { KubernetesManifest } from '../../cdk/rbac/kubernetes-object.ts';
import { servicePolicy } from '../../cdk/rbac/service-policy.ts';
import { internet, ipBlocksOf } from '../../core/agent/egress.ts';
import type { Profile } from '../../core/config/config.ts';
import { configJsonSchema } from '../../core/config/config-json-schema.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { valuesSchema } from './values-schema.ts';

/** What the chart's templates replace by its values: names, and quantities that nobody chooses. */
const placeholders = {
  account: { kind: 'ServiceAccount', name: 'DAVIT_ACCOUNT', namespace: 'DAVIT_HOME' } satisfies DavitIdentity,
  namespace: 'DAVIT_AGENTS',
  limits: { podSecurity: 'restricted', maxAgents: 271_828, maxStorage: '31415Gi' },
} as const;

/**
 * Completes the chart by what has its source elsewhere: the objects of `davit rbac`, the schema of its values, and the rules for
 * Prometheus, because a chart's templates see its own files only.
 */
export async function completeChart(): Promise<void> {
  const folder = join(rootFolder, 'charts', 'davit');
  const write = (name: string, value: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`);
  const [anyProfile] = (await readConfig(join(rootFolder, 'davit.yaml'))).profiles;
  if (anyProfile === undefined) throw new Error('davit.yaml has no profile');
  mkdirSync(join(folder, 'files'), { recursive: true });
  write('values.schema.json', chartValuesSchema());
  write('files/objects.json', chartObjects(anyProfile));
  cpSync(join(rootFolder, 'examples/alerts/prometheus-rules.yaml'), join(folder, 'files/prometheus-rules.yaml'));
}

/** Makes the objects with placeholders, so that the rights have one source. @param profile any profile of a config */
function chartObjects(profile: Profile): object {
  const { account } = placeholders;
  return {
    namespace: {
      exposed: objectsFor({ ...profile, expose: 'nodePort' }),
      unexposed: objectsFor({ ...profile, expose: 'none' }),
    },
    services: servicePolicy(account),
    nodes: nodeReading(account),
    internet: ipBlocksOf([internet]),
    never: ipBlocksOf(['0.0.0.0/0']).flatMap(({ except = [] }) => except),
  };
}

/** Makes the JSON schema of the chart's values, with that of davit.yaml in it. */
export function chartValuesSchema(): object {
  const { $schema: _, ...config } = configJsonSchema();
  return valuesSchema(config);
}

/** Makes the objects of a namespace, but for those of single profiles. */
function objectsFor(profile: Profile): KubernetesManifest[] {
  const { account, namespace, limits } = placeholders;
  const objects = agentNamespace(namespace, [profile], account, limits);
  return objects.filter(({ metadata }) => metadata.name !== `davit-agents-${profile.name}`);
}
