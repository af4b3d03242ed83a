import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { clusterObjects } from '../../cdk/rbac/cluster-objects.ts';
import { eksIdentity, identityOn, tokenIdentity } from '../../cdk/rbac/davit-identity.ts';
import { clusterOf, RbacArgumentError, rbacHelp, readRbacArguments } from '../../cli/rbac/arguments.ts';
import { readConfig } from '../../config/read-config.ts';
import type { Config } from '../../functions/domain/config.ts';
import { config as twoClusters } from './synthesise.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const config = await readConfig('davit.yaml');

/** Runs `npm run rbac -- ...`. */
function runRbac(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['cli/rbac.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('npm run rbac', () => {
  test('prints what the CDK construct applies, for the only cluster of davit.yaml', () => {
    const { status, stdout, stderr } = runRbac();

    const printed = parseAllDocuments(stdout).map((document) => document.toJS());
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(printed).toEqual(clusterObjects(config, 'sandbox', tokenIdentity));
  });

  test('reports a mistake in one line', () => {
    const { status, stdout, stderr } = runRbac('--nope');

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^Unknown option '--nope'.*\n$/);
  });

  test.each([
    [['--group', 'builders', '--user', 'davit'], /^expected --user or --group, found both$/],
    [['--pod-security', 'none'], /^--pod-security: .*$/],
    [['--max-agents', '0'], /^--max-agents: .*$/],
  ])('refuses %j in one line', (args, expected) => {
    expect(messageOf(() => readRbacArguments(args))).toMatch(expected);
  });

  test('refuses a cluster that davit.yaml does not have', () => {
    expect(messageOf(() => clusterOf(config, 'other'))).toBe('--cluster: expected one of sandbox, found other');
  });

  test('--help explains each option', () => {
    expect(readRbacArguments(['--help'])).toBe('help');
    for (const option of ['config', 'cluster', 'user', 'group', 'pod-security', 'max-agents']) {
      expect(rbacHelp).toContain(`--${option} `);
    }
  });
});

/** The error message for invalid arguments. */
function messageOf(read: () => unknown): string {
  try {
    return `nothing was refused: ${JSON.stringify(read())}`;
  } catch (error) {
    if (error instanceof RbacArgumentError) return error.message;
    throw error;
  }
}

/** The objects of a kind, by namespace and name. */
function named(objects: ReturnType<typeof clusterObjects>, kind: string): string[] {
  return objects
    .filter((object) => object.kind === kind)
    .map(({ metadata: { namespace, name } }) => [namespace, name].filter((part) => part !== undefined).join('/'));
}

function withProfile(change: Partial<Config['profiles'][number]>): Config {
  return { ...twoClusters, profiles: twoClusters.profiles.map((profile) => ({ ...profile, ...change })) };
}

describe("a cluster's manifest", () => {
  test("binds the access entries' group on EKS, and an account for davit elsewhere", () => {
    const eks = identityOn({ name: 'one', eks: { clusterName: 'builds' } });
    const other = identityOn({ name: 'one', kubeconfigSecret: 'kubeconfig' });

    const [bound] = clusterObjects(twoClusters, 'one', eks).filter(({ kind }) => kind === 'RoleBinding');
    expect(bound?.['subjects']).toEqual([{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'davit' }]);
    expect(other).toEqual({ kind: 'ServiceAccount', name: 'davit', namespace: 'davit-system' });
  });

  test("has each namespace of the cluster's profiles, once, and no other", () => {
    const [first] = twoClusters.profiles;
    if (first === undefined) throw new Error('the config has no profile');
    const profiles = [
      first,
      { ...first, name: 'again' },
      { ...first, name: 'other', namespace: 'builds' },
      { ...first, name: 'elsewhere', namespace: 'far-away', clusters: ['two'] },
    ];

    const objects = clusterObjects({ ...twoClusters, profiles }, 'one', eksIdentity);

    expect(named(objects, 'Namespace')).toEqual(['agents', 'builds']);
    expect(named(objects, 'Role')).toEqual(['agents/davit', 'builds/davit']);
    expect(named(objects, 'RoleBinding')).toEqual(['agents/davit', 'builds/davit']);
  });

  test("has a right outside the agents' namespace only for a profile that needs an address from the Node", () => {
    const usual = clusterObjects(withProfile({ hostAddress: 'hostIPv4' }), 'one', eksIdentity);
    const external = clusterObjects(withProfile({ hostAddress: 'nodeExternalIP' }), 'one', eksIdentity);

    expect(named(usual, 'ClusterRole')).toEqual([]);
    expect(named(external, 'ClusterRole')).toEqual(['davit-nodes']);
    expect(external.find(({ kind }) => kind === 'ClusterRole')?.['rules']).toEqual([
      { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
    ]);
  });

  test("keeps davit's token out of the agents' namespace, where a Pod could mount it", () => {
    const objects = clusterObjects(twoClusters, 'one', tokenIdentity);

    expect(named(objects, 'Secret')).toEqual(['davit-system/davit-token']);
  });

  test('has no Secret and no account for davit on EKS, which logs in by IAM', () => {
    const objects = clusterObjects(twoClusters, 'one', eksIdentity);

    expect(named(objects, 'Secret')).toEqual([]);
    expect(named(objects, 'ServiceAccount')).toEqual(['agents/davit-agent']);
  });

  test('hands no Pod a token, and lets none be privileged', () => {
    const objects = clusterObjects(twoClusters, 'one', tokenIdentity);

    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
    const levels = objects
      .filter(({ kind }) => kind === 'Namespace')
      .map(({ metadata }) => metadata.labels?.['pod-security.kubernetes.io/enforce']);
    expect(accounts.map((account) => account['automountServiceAccountToken'])).toEqual([false, false]);
    expect(levels).toEqual(['restricted', 'baseline']);
  });

  test('bounds the agents and their node ports, and allows no load balancer', () => {
    const objects = clusterObjects(twoClusters, 'one', eksIdentity, { maxAgents: 7 });

    expect(objects.find(({ kind }) => kind === 'ResourceQuota')?.['spec']).toEqual({
      hard: { pods: '7', services: '7', 'services.nodeports': '7', 'services.loadbalancers': '0' },
    });
  });

  test.each([
    { who: 'a group', identity: eksIdentity, isDavit: '"davit" in request.userInfo.groups' },
    {
      who: 'a user',
      identity: { kind: 'User', name: 'davit "ci"' } as const,
      isDavit: 'request.userInfo.username == "davit \\"ci\\""',
    },
    {
      who: 'an account',
      identity: tokenIdentity,
      isDavit: 'request.userInfo.username == "system:serviceaccount:davit-system:davit"',
    },
  ])('restricts davit, as $who, to the Services that davit creates', ({ identity, isDavit }) => {
    const objects = clusterObjects(twoClusters, 'one', identity);

    const policy = objects.find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    const binding = objects.find(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
    expect(policy).toMatchObject({
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: { name: 'davit-services' },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services'] },
          ],
        },
        matchConditions: [{ name: 'is-davit', expression: isDavit }],
      },
    });
    for (const field of ['type', 'externalIPs', 'loadBalancerIP', 'selector']) {
      expect(JSON.stringify(policy)).toContain(field);
    }
    expect(binding?.['spec']).toEqual({ policyName: 'davit-services', validationActions: ['Deny'] });
  });

  test('has no rule with a wildcard, none for secrets, and none that changes existing objects', () => {
    const objects = clusterObjects(withProfile({ hostAddress: 'nodeInternalIP' }), 'one', tokenIdentity);

    const rules = JSON.stringify(objects.map((object) => object['rules'] ?? []));
    expect(rules).not.toMatch(/\*|secrets|update|patch|exec|escalate|bind|impersonate/);
  });
});
