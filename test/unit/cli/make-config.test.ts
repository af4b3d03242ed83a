import * as fc from 'fast-check';
import {
  clusterNameOf,
  clusterOfContext,
  type FirstCluster,
  makeConfig,
  nextSteps,
} from '../../../cli/init/make-config.ts';
import { parseConfig } from '../../../core/config/read-config.ts';

const sandbox = { kind: 'sandbox', name: 'sandbox' } as const;
const eks = { kind: 'eks', name: 'builds', clusterName: 'Builds_1', region: 'eu-central-1' } as const;
const clusters: FirstCluster[] = [sandbox, { kind: 'kubeconfig', name: 'builds' }, eks];
const usual = { namespace: 'agents', labels: ['linux'] };

const at = { url: 'https://ci.example.com' };
const entries = {
  github: {},
  gitea: at,
  jenkins: { ...at, user: 'davit' },
  buildkite: { organization: 'acme' },
  forgejo: { ...at, scope: 'orgs/acme' },
  gitlab: { group: 'acme' },
  standard: {},
} as const;

describe('a first davit.yaml', () => {
  test.each(
    clusters.flatMap((cluster) =>
      (['github', 'gitea', 'jenkins', 'buildkite', 'forgejo', 'gitlab', 'standard'] as const).flatMap((ci) =>
        [undefined, 'registry.example.com/runner:1'].map((image) => ({ ci, cluster, image })),
      ),
    ),
  )('for %j is valid', ({ ci, cluster, image }) => {
    const first = { ...usual, ci, cluster, entry: entries[ci], ...(image === undefined ? {} : { image }) };

    const config = parseConfig(makeConfig(first), 'davit.yaml');

    const registers =
      ['gitea', 'jenkins', 'buildkite', 'forgejo', 'gitlab'].includes(ci) ||
      (ci === 'github' && cluster.kind !== 'sandbox');
    expect(config.profiles[0]?.runner).toBe(registers ? ci : undefined);
    const images = config.profiles[0]?.template.spec.containers.map((container) => container.image);
    if (image !== undefined) expect(images).toContain(image);
    expect(nextSteps(first).every((step) => /^(KUBECONFIG=\S+ )?davit /.test(step))).toBe(true);
  });

  test('is refused for wrong values, which the error names', () => {
    const first = { ...usual, ci: 'gitea', entry: { url: 'nonsense' }, cluster: sandbox } as const;

    expect(() => makeConfig(first)).toThrow(/ciSystems\[0\]\.url/);
  });
});

test('after an EKS cluster comes the deployment to AWS, with the token', () => {
  const first = { ...usual, ci: 'gitea', entry: { url: 'https://gitea.example.com' }, cluster: eks } as const;

  expect(nextSteps(first)).toEqual([
    'davit rbac | kubectl apply --server-side -f -',
    'davit deploy --eks-access --scope OWNER --secret davit-token-gitea=TOKEN-FILE    # to AWS, with the webhook',
    'davit doctor --stack Davit --deep linux',
  ]);
});

describe('after a Jenkins', () => {
  const jenkins = { ...usual, ci: 'jenkins', entry: entries.jenkins } as const;

  test('in the sandbox comes a job that waits, and the program that runs it', () => {
    expect(nextSteps({ ...jenkins, cluster: sandbox, labels: ['linux', 'docker'] })).toEqual([
      'davit doctor --secret davit-token-jenkins=TOKEN-FILE',
      'davit local --secret davit-token-jenkins=TOKEN-FILE    # until Ctrl-C; continue in another terminal. ' +
        'jenkins-agent must be on PATH',
      'davit list    # once a job for linux and docker waits in jenkins',
    ]);
  });

  test('on AWS comes no webhook', () => {
    expect(nextSteps({ ...jenkins, cluster: eks }).join('\n')).not.toMatch(/webhook/);
  });
});

test("davit acts as GitHub's App when its id is known; otherwise the steps begin with making one", () => {
  const first = { ...usual, ci: 'github', entry: {}, cluster: eks } as const;

  const { ciSystems } = parseConfig(makeConfig({ ...first, app: 123_456 }), 'davit.yaml');

  expect(ciSystems[0]).toMatchObject({ app: { id: 123_456, privateKeySecret: 'davit-app-key-github' } });
  expect(ciSystems[0]).not.toHaveProperty('tokenSecret');
  expect(nextSteps({ ...first, app: 123_456 }).join('\n')).toMatch(/--secret davit-app-key-github=\S+private-key\.pem/);
  expect(nextSteps({ ...first, app: 123_456 }).join('\n')).not.toContain('davit github-app ');
  expect(nextSteps(first)[1]).toMatch(/^davit github-app --org OWNER /);
});

test('a context is an EKS cluster when its name is the ARN of one', () => {
  expect(clusterOfContext('arn:aws:eks:eu-central-1:111122223333:cluster/Builds')).toEqual({
    kind: 'eks',
    name: 'builds',
    clusterName: 'Builds',
    region: 'eu-central-1',
  });
  expect(clusterOfContext('admin@home')).toEqual({ kind: 'kubeconfig', name: 'admin-home' });
});

test('every context gets a name that is a DNS label', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (context) =>
      /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(clusterNameOf(context)),
    ),
  );
});
