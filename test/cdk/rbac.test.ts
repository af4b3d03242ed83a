import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { clusterObjects } from '../../cdk/rbac/cluster-objects.ts';
import { eksIdentity, identityOn, tokenIdentity } from '../../cdk/rbac/davit-identity.ts';
import {
  checkNamespaces,
  clusterOf,
  RbacArgumentError,
  rbacHelp,
  readRbacArguments,
} from '../../cli/rbac/arguments.ts';
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { allows, type Packet } from '../support/network-policy.ts';
import { newFolder } from '../support/new-folder.ts';
import { config as twoClusters } from './synthesise.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const config = await readConfig('davit.yaml');
const [first] = twoClusters.profiles;
if (first === undefined) throw new Error('the config has no profile');

/** Runs `npx davit rbac ...`. */
function runRbac(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['cli/rbac.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('npx davit rbac', () => {
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

  test.each(['kube-system', 'kube-public', 'kube-node-lease'])(
    'refuses %s as a namespace of agents',
    async (namespace) => {
      const directory = newFolder();
      const file = join(directory, 'davit.yaml');
      const text = await readFile(join(root, 'davit.yaml'), 'utf8');
      await writeFile(file, text.replaceAll(/namespace: .*/g, `namespace: ${namespace}`));

      const { status, stdout, stderr } = runRbac('--config', file);

      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(`.namespace: expected a namespace that is not Kubernetes' own, found "${namespace}"`);
    },
  );

  test.each([
    [['--max-storage', 'much'], /^--max-storage: expected a quantity.*$/],
    [['--group', 'builders', '--user', 'davit'], /^expected --user or --group, found both$/],
    [['--pod-security', 'none'], /^--pod-security: .*found none$/],
    [['--pod-security', 'builds=none'], /^--pod-security: .*found builds=none$/],
    [['--pod-security', '=baseline'], /^--pod-security: .*found =baseline$/],
    [['--max-agents', '0'], /^--max-agents: .*$/],
  ])('refuses %j in one line', (args, expected) => {
    expect(messageOf(() => readRbacArguments(args))).toMatch(expected);
  });

  test('takes a level for each namespace, and one for all others', () => {
    const args = ['--pod-security', 'restricted', '--pod-security', 'builds=privileged'];

    expect(readRbacArguments(args)).toMatchObject({
      limits: { podSecurity: 'restricted', podSecurityOf: { builds: 'privileged' } },
    });
    expect(messageOf(() => checkNamespaces(config, { podSecurityOf: { other: 'baseline' } }))).toMatch(
      /^--pod-security: expected a namespace of a profile \(davit-agents\), found other$/,
    );
  });

  test('is no error when nobody reads what it prints', async () => {
    const child = spawn(process.execPath, ['cli/rbac.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();

    const [stderr, [code]] = await Promise.all([readText(child.stderr), once(child, 'exit')]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('refuses a cluster that davit.yaml does not have', () => {
    expect(messageOf(() => clusterOf(config, 'other'))).toBe('--cluster: expected one of sandbox, found other');
  });

  test('--help explains each option', () => {
    expect(readRbacArguments(['--help'])).toBe('help');
    for (const option of ['config', 'cluster', 'user', 'group', 'pod-security', 'max-agents', 'max-storage']) {
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

const agentLabels = { 'app.kubernetes.io/managed-by': 'davit', 'app.kubernetes.io/name': 'davit-agent' };

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

  test('has the Pod Security level of each namespace', () => {
    const profiles = [first, { ...first, name: 'images', namespace: 'images' }];
    const limits = { podSecurity: 'restricted', podSecurityOf: { images: 'privileged' } } as const;

    const objects = clusterObjects({ ...twoClusters, profiles }, 'one', eksIdentity, limits);

    const levels = objects
      .filter(({ kind }) => kind === 'Namespace')
      .map(({ metadata: { name, labels } }) => [name, labels?.['pod-security.kubernetes.io/enforce']]);
    expect(levels).toEqual([
      ['agents', 'restricted'],
      ['images', 'privileged'],
    ]);
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

  test('grants no Services where no profile exposes its agents', () => {
    const profiles = [
      { ...first, expose: 'none' as const },
      { ...first, name: 'other', namespace: 'builds', expose: 'nodePort' as const },
    ];

    const objects = clusterObjects({ ...twoClusters, profiles }, 'one', eksIdentity);
    const unexposed = clusterObjects(withProfile({ expose: 'none' }), 'one', eksIdentity);

    const of = (kind: string, namespace: string) =>
      objects.find((object) => object.kind === kind && object.metadata.namespace === namespace);
    expect(JSON.stringify(of('Role', 'agents'))).not.toContain('services');
    expect(JSON.stringify(of('Role', 'builds'))).toContain('services');
    expect(of('ResourceQuota', 'agents')).toMatchObject({
      spec: { hard: { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' } },
    });
    expect(named(objects, 'ValidatingAdmissionPolicy')).toEqual(['davit-services']);
    expect(named(unexposed, 'ValidatingAdmissionPolicy')).toEqual([]);
    expect(JSON.stringify(unexposed.map((object) => object['rules'] ?? []))).not.toContain('services');
  });

  test('bounds the disk of each container, of those that ask for nothing and of those that ask for more', () => {
    const container = { name: 'agent', image: 'registry.example/agent:1' };
    const asking = (quantity: string, by = 'limits') => ({
      spec: { containers: [{ ...container, resources: { [by]: { 'ephemeral-storage': quantity } } }] },
    });
    const limitsOf = (given: Config, maxStorage?: string) =>
      clusterObjects(given, 'one', eksIdentity, maxStorage === undefined ? {} : { maxStorage }).find(
        ({ kind }) => kind === 'LimitRange',
      )?.['spec'];
    const range = (storage: string, max: string) => ({
      limits: [
        {
          type: 'Container',
          defaultRequest: { cpu: '100m', memory: '128Mi', 'ephemeral-storage': '1Gi' },
          default: { 'ephemeral-storage': storage },
          max: { 'ephemeral-storage': max },
        },
      ],
    });

    expect(limitsOf(twoClusters)).toEqual(range('10Gi', '10Gi'));
    expect(limitsOf(twoClusters, '40G')).toEqual(range('40G', '40G'));
    expect(limitsOf(withProfile({ template: asking('200Gi') }))).toEqual(range('10Gi', '200Gi'));
    expect(limitsOf(withProfile({ template: asking('2Gi') }))).toEqual(range('10Gi', '10Gi'));
    // Kubernetes refuses a Pod that requests more than the default limit, if it names no limit itself.
    expect(limitsOf(withProfile({ template: asking('200Gi', 'requests') }))).toEqual(range('200Gi', '200Gi'));
    expect(limitsOf(withProfile({ template: asking('2Gi', 'requests') }))).toEqual(range('10Gi', '10Gi'));
  });

  test('replaces the policy of a profile that may reach nothing any more', () => {
    const policy = clusterObjects(withProfile({ egress: [], expose: 'none' }), 'one', eksIdentity).find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'davit-agents-linux',
    );

    expect(policy?.['spec']).toEqual({
      podSelector: { matchLabels: { ...agentLabels, 'davit.dev/profile': 'linux' } },
      policyTypes: ['Ingress', 'Egress'],
    });
  });

  describe("lets a job's packets", () => {
    const internet = '192.0.2.7';
    const packets = (egress: string[], expose: 'none' | 'nodePort' = 'none') => {
      const policies = clusterObjects(withProfile({ egress, expose }), 'one', eksIdentity).filter(
        ({ kind }) => kind === 'NetworkPolicy',
      );
      const agent = { namespace: 'agents', labels: { ...agentLabels, 'davit.dev/profile': 'linux' } };
      return {
        out: (to: Packet['peer'], port: number, protocol = 'TCP') =>
          allows(policies, { direction: 'Egress', pod: agent, peer: to, port, protocol }),
        in: (from: Packet['peer'], port: number) =>
          allows(policies, { direction: 'Ingress', pod: agent, peer: from, port, protocol: 'TCP' }),
        agent,
      };
    };
    const dns = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, ip: '10.0.0.10' };

    test.each([
      '169.254.169.254',
      '169.254.170.23',
      'fe80::1',
      'fd00:ec2::254',
      'fd20:ce::254',
      '168.63.129.16',
      '100.100.100.200',
      '64:ff9b::a9fe:a9fe',
    ])('not reach %s, whatever its profile names', (ip) => {
      for (const egress of [['internet'], ['0.0.0.0/0', '::/0'], ['168.63.0.0/16', '100.64.0.0/10', 'fd00::/8']]) {
        expect(packets(egress).out({ ip }, 80)).toBe(false);
      }
    });

    test('reach the internet and DNS, and no private address, if its profile names nothing', () => {
      const { out } = packets(['internet']);

      expect(out({ ip: internet }, 443)).toBe(true);
      expect(out({ ip: '2001:db8::7' }, 443)).toBe(true);
      expect(out(dns, 53, 'UDP')).toBe(true);
      expect(out(dns, 53, 'TCP')).toBe(true);
      expect(out(dns, 9153, 'TCP')).toBe(false);
      for (const ip of ['10.1.2.3', '172.20.0.1', '192.168.1.1', '100.64.1.1', 'fd12::1']) {
        expect(out({ ip }, 443)).toBe(false);
      }
    });

    test('reach the networks that its profile names, and nothing else', () => {
      const { out } = packets(['10.20.0.0/16', 'fd12:1::/32']);

      expect(out({ ip: '10.20.3.4' }, 3000)).toBe(true);
      expect(out({ ip: 'fd12:1::5' }, 3000)).toBe(true);
      expect(out({ ip: internet }, 443)).toBe(false);
      expect(out({ ip: '10.21.0.1' }, 443)).toBe(false);
    });

    test('reach DNS alone if its profile names no network', () => {
      const { out } = packets([]);

      expect(out(dns, 53, 'UDP')).toBe(true);
      expect(out({ ip: internet }, 443)).toBe(false);
    });

    test('not reach another agent: nothing enters an agent that dials out, and the port alone one that is exposed', () => {
      const dialsOut = packets(['10.0.0.0/8']);
      const exposed = packets(['10.0.0.0/8'], 'nodePort');
      const other = { ...exposed.agent, ip: '10.244.1.7' };

      expect(dialsOut.in(other, 8811)).toBe(false);
      expect(dialsOut.in({ ip: internet }, 8811)).toBe(false);
      expect(exposed.in({ ip: internet }, 8811)).toBe(true);
      expect(exposed.in({ ip: internet }, 22)).toBe(false);
      expect(exposed.in(other, 22)).toBe(false);
      expect(packets(['internet'], 'nodePort').out(other, 8811)).toBe(false);
    });
  });

  test('has no rule with a wildcard, none for secrets, and none that changes existing objects', () => {
    const objects = clusterObjects(withProfile({ hostAddress: 'nodeInternalIP' }), 'one', tokenIdentity);

    const rules = JSON.stringify(objects.map((object) => object['rules'] ?? []));
    expect(rules).not.toMatch(/\*|secrets|update|patch|exec|escalate|bind|impersonate/);
  });
});
