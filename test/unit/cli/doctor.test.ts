import { agentNetwork } from '../../../cdk/rbac/agent-network.ts';
import { checkCluster } from '../../../cli/doctor/check-cluster.ts';
import { checkSecrets } from '../../../cli/doctor/check-secrets.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import { TerminalError } from '../../../core/errors/errors.ts';
import { type FakeApiServer, json, kubeconfigOf, refusal, startFakeApiServer } from '../../support/fake-api-server.ts';
import { makeProfile } from '../../support/make-profile.ts';

/** A NetworkPolicy of somebody else's, for all Pods unless it says otherwise. */
function policy(spec: object): object {
  return { metadata: { name: 'own' }, spec: { podSelector: {}, policyTypes: ['Egress'], ...spec } };
}

describe('a cluster', () => {
  let server: FakeApiServer;
  beforeEach(async () => {
    server = await startFakeApiServer();
  });
  afterEach(() => server.stop());

  const kubeconfig = () => kubeconfigOf(server.url);
  const printed = agentNetwork(makeProfile().namespace, [makeProfile()]);
  const check = () => checkCluster({ name: 'builds', kubeconfig: kubeconfig(), profiles: [makeProfile()] });

  /** A healthy cluster, except for the answers that a test gives by path. */
  function answers(otherwise: Readonly<Record<string, Parameters<FakeApiServer['answer']>[0]>> = {}): void {
    server.answer((response, request) => {
      const path = request.path.replace(/\/$/, '');
      const { body } = request;
      const other = Object.entries(otherwise).find(([end]) => path.endsWith(end))?.[1];
      if (other !== undefined) return other(response, request);
      if (path === '/version') return json(200, { gitVersion: 'v1.33.0' })(response, request);
      if (path.endsWith('selfsubjectaccessreviews'))
        return json(201, { ...Object(body), status: { allowed: true } })(response, request);
      if (/\/(resourcequotas|services|nodes)$/.test(path)) return json(200, { items: [] })(response, request);
      if (path.endsWith('/networkpolicies')) return json(200, { items: printed })(response, request);
      if (path.endsWith('/daemonsets')) {
        return json(200, { items: [{ metadata: { name: 'cilium' } }] })(response, request);
      }
      return json(200, { metadata: { name: 'x' } })(response, request);
    });
  }

  test('without a problem passes, and nothing is created there', async () => {
    answers();

    expect((await check()).filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    const made = server.requests.filter(({ method, path }) => method === 'POST' && !path.endsWith('reviews'));
    expect(made.map(({ query }) => query.get('dryRun'))).toEqual(['All']);
  });

  test.each([
    ['nodePort', ['quota q: 0 of 0 services are used']],
    ['none', []],
  ] as const)(
    'whose quota allows no Service is a problem only where agents are exposed (%s)',
    async (expose, expected) => {
      const quota = { metadata: { name: 'q' }, status: { hard: { services: '0' }, used: { services: '0' } } };
      answers({ resourcequotas: json(200, { items: [quota] }) });
      const profiles = [makeProfile({ expose })];

      const found = await checkCluster({ name: 'builds', kubeconfig: kubeconfig(), profiles });

      expect(found.flatMap(({ verdict, what }) => (verdict === 'problem' ? [what] : []))).toEqual(expected);
    },
  );

  const node = (cpu: string, labels = {}) => ({
    metadata: { labels },
    status: { allocatable: { cpu, memory: '8Gi' } },
  });
  const asking = (cpu: string, nodeSelector = {}) =>
    makeProfile({
      template: {
        spec: { containers: [{ name: 'agent', image: 'a', resources: { requests: { cpu } } }], nodeSelector },
      },
    });

  test.each([
    ['no node is large enough', '96', {}, ['no node has 96 cpu: the largest of 2 has 16']],
    ['no node that it selects is large enough', '9', { disk: 'ssd' }, ['no node has 9 cpu: the largest of 1 has 8']],
    ['a node is large enough', '16', {}, []],
  ])('for whose Pod %s is a warning', async (_what, cpu, selector, expected) => {
    answers({ '/api/v1/nodes': json(200, { items: [node('16'), node('8', { disk: 'ssd' })] }) });

    const profiles = [asking(cpu, selector)];
    const found = await checkCluster({ name: 'builds', kubeconfig: kubeconfig(), profiles });

    expect(found.flatMap(({ verdict, what }) => (verdict === 'warning' ? [what] : []))).toEqual(expected);
  });

  const list = (...items: object[]) => json(200, { items });
  const full = { metadata: { name: 'q' }, status: { hard: { pods: '3' }, used: { pods: '3' } } };
  const usedPorts = Array.from({ length: 2500 }, (_, index) => ({
    spec: { ports: [{ nodePort: 30_000 + index }, {}] },
  }));
  const ofOthers = policy({ podSelector: { matchLabels: { app: 'shop' } } });
  const toEverywhere = policy({ egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0' } }] }] });
  const args = ['--enable-network-policy=false'];
  const withoutPolicies = { spec: { containers: [{ name: 'aws-eks-nodeagent', args }] } };
  const notEnforcing = { metadata: { name: 'aws-node' }, spec: { template: withoutPolicies } };
  const unbounded = 'no NetworkPolicy bounds what its jobs reach';
  const tooWide = 'NetworkPolicy own lets its jobs reach the metadata service of their node';
  const insecure = 'violates PodSecurity "restricted"';

  test.each<[what: string, otherwise: Parameters<typeof answers>[0], seen: string | RegExp, verdict?: string]>([
    [
      'has no such namespace',
      { [`/namespaces/${makeProfile().namespace}`]: refusal(404, 'NotFound', 'no') },
      'there is no such namespace',
    ],
    [
      'gives no rights',
      { reviews: json(201, { spec: {}, status: { allowed: false } }) },
      /^the caller may not create services/,
    ],
    ['has a full quota', { resourcequotas: list(full) }, 'quota q: 3 of 3 pods are used'],
    ['refuses the Pod', { '/pods': refusal(403, 'Forbidden', insecure) }, new RegExp(insecure)],
    [
      'refuses the credential',
      { '/version': refusal(401, 'Unauthorized', 'no') },
      'refuses the credential of the kubeconfig',
    ],
    [
      'has hardly a node port left',
      { '/api/v1/services': list(...usedPorts) },
      "2500 node ports are used; Kubernetes' own range has 2768",
      'warning',
    ],
    ["has no NetworkPolicy that bounds a job's network", { networkpolicies: list() }, unbounded, 'warning'],
    ['has a NetworkPolicy of other Pods only', { networkpolicies: list(ofOthers) }, unbounded, 'warning'],
    [
      'has a NetworkPolicy that lets jobs reach everything',
      { networkpolicies: list(...printed, policy({ egress: [{}] })) },
      tooWide,
      'warning',
    ],
    [
      'has a NetworkPolicy that lets jobs reach every address',
      { networkpolicies: list(toEverywhere) },
      tooWide,
      'warning',
    ],
    [
      'runs nothing that enforces NetworkPolicies',
      { daemonsets: list(notEnforcing) },
      'no DaemonSet is known to enforce NetworkPolicies',
      'warning',
    ],
    ['fails', { '/version': refusal(500, 'InternalError', 'etcd is away') }, /cannot be reached: etcd is away/],
  ])('that %s is found, with its remedy', async (_what, otherwise, what, verdict = 'problem') => {
    answers(otherwise);

    const problems = (await check()).filter((finding) => ['problem', 'warning'].includes(finding.verdict));

    expect(problems).toEqual([
      {
        verdict,
        about: expect.any(String),
        what: typeof what === 'string' ? what : expect.stringMatching(what),
        why: expect.any(String),
        fix: expect.any(String),
      },
    ]);
  });

  test('whose context is not in the kubeconfig is a problem that names the context', async () => {
    const profiles = [makeProfile()];

    const found = await checkCluster({ name: 'builds', kubeconfig: kubeconfig(), context: 'kind-builds', profiles });

    expect(found).toMatchObject([{ verdict: 'problem', what: expect.stringContaining('no context kind-builds') }]);
  });

  test('with namespaces that the caller may not read is skipped, not failed', async () => {
    answers({
      [`/namespaces/${makeProfile().namespace}`]: refusal(403, 'Forbidden', 'no'),
      resourcequotas: refusal(403, 'Forbidden', 'no'),
      '/api/v1/services': refusal(403, 'Forbidden', 'no'),
      networkpolicies: refusal(403, 'Forbidden', 'no'),
      daemonsets: refusal(403, 'Forbidden', 'no'),
    });

    const found = await check();
    expect(found.map(({ verdict }) => verdict).toSorted()).toEqual([
      ...Array(3).fill('ok'),
      ...Array(5).fill('skipped'),
    ]);
    expect(found.map(({ what }) => what).join('\n')).toMatch(/nobody knows whether a job reaches .*metadata service/);
  });

  test('of EKS is never silent about the hop limit of its nodes, which only EC2 knows', async () => {
    answers();

    const cluster = { name: 'builds', kubeconfig: kubeconfig(), profiles: [makeProfile()], eksClusterName: 'ci' };
    expect((await checkCluster(cluster)).filter(({ verdict }) => verdict !== 'ok')).toEqual([
      {
        verdict: 'skipped',
        about: 'cluster builds',
        what: expect.stringMatching(/hop limit of its nodes is not checked: with 2, a Pod reads the role of its node/),
        fix: expect.stringMatching(/aws ec2 describe-instances .*Values=ci'.*HttpPutResponseHopLimit/),
      },
    ]);
  });

  test('where no profile exposes its agents is not asked for rights to Services', async () => {
    answers();

    await checkCluster({ name: 'builds', kubeconfig: kubeconfig(), profiles: [makeProfile({ expose: 'none' })] });

    const reviewed = server.requests.filter(({ path }) => path.includes('selfsubjectaccessreviews'));
    expect(JSON.stringify(reviewed.map(({ body }) => body))).not.toContain('services');
    expect(reviewed.length).toBeGreaterThan(0);
  });

  test("that refuses the caller's own credential is not called wrong", async () => {
    answers({ '/version': refusal(401, 'Unauthorized', 'no') });

    const cluster = { name: 'builds', kubeconfig: kubeconfig(), profiles: [], isCallersOwn: true };
    expect((await checkCluster(cluster)).map(({ verdict }) => verdict)).toEqual(['skipped']);
  });
});

describe('a secret', () => {
  const config = readConfig('davit.yaml');

  test.each([
    ['that is too short', 'short', /^has 5 characters/],
    ['with a space at its end', `${'x'.repeat(32)} `, /white space/],
  ])('%s is a problem, which does not quote the value', async (_what, value, words) => {
    const findings = await checkSecrets(await config, async () => value);
    const webhook = findings.find(({ about }) => about.includes('davit-webhook-github'));

    expect(webhook).toMatchObject({ verdict: 'problem', what: expect.stringMatching(words) });
    expect(JSON.stringify(findings)).not.toContain(value.trim());
  });

  test('of webhooks is not asked for where davit.yaml names none', async () => {
    const github = { name: 'hub', provider: 'github', url: 'https://github.com', tokenSecret: 'token' } as const;
    const asked: string[] = [];

    await checkSecrets({ ...(await config), ciSystems: [github] }, async (id) => {
      asked.push(id);
      return 'nonsense';
    });

    expect(asked).toEqual(['davit-kubeconfig-sandbox', 'token']);
  });

  test('is a problem when it is not a kubeconfig, or missing', async () => {
    const findings = await checkSecrets(await config, async (id) => {
      if (id.includes('webhook')) throw new TerminalError('SecretMissing', 'none');
      return 'nonsense';
    });

    expect(findings.map(({ verdict }) => verdict)).toEqual(['problem', 'problem']);
  });
});
