import * as fc from 'fast-check';
import { agentPod } from '../../../../core/agent/agent-objects.ts';
import { allowsAllOf, isAtMost, resourcesOf } from '../../../../core/agent/agent-size.ts';
import { poolKeyOf } from '../../../../core/agent/pool.ts';
import { Sizes } from '../../../../core/agent/sizes.ts';
import { CiSystemConfig, type RunnerProvider } from '../../../../core/ci/ci-system-config.ts';
import { joinOf } from '../../../../core/ci/join-of.ts';
import type { Profile } from '../../../../core/config/config.ts';
import { matchProfile } from '../../../../core/job/match-profile.ts';
import { planLaunch } from '../../../../core/launch/plan-launch.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const sizes = Sizes.parse({
  cpu: { max: 8, steps: [1, '1500m', 4, 8] },
  memory: { max: '32Gi' },
  arch: ['amd64', 'arm64'],
  gpu: { max: 2 },
});
const sized = makeProfile({ name: 'sized', labels: ['linux'], runner: 'github', sizes });
const plain = makeProfile({ name: 'plain', labels: ['linux'] });
const repository = { owner: 'acme', name: 'app' };

function match(labels: readonly string[], profiles: readonly Profile[] = [sized], provider: RunnerProvider = 'github') {
  return matchProfile(profiles, { provider }, { labels: [...labels], repository });
}

/** The parts of the Pod that depend on a job's labels. */
function podOf(labels: readonly string[], profile = sized) {
  const { size, reason } = match(labels, [profile]);
  if (reason !== undefined) return { reason };
  const plan = planLaunch(profile, { launchId: 'github-1-2-1', size }, 0);
  const { metadata, spec } = agentPod(plan, profile, { env: {}, labels: {}, credentialId: 'x', serviceUid: 'y' });
  return { annotations: metadata.annotations, spec: spec as Record<string, unknown> };
}

describe('a job that asks for a size', () => {
  test('gets an agent of that size, which its Pod and its runner state', () => {
    const labels = ['linux', 'davit/memory=8Gi', 'davit/cpu=1500m', 'davit/arch=arm64', 'davit/gpu=1'];
    const wanted = { cpu: '1500m', memory: '8Gi', 'nvidia.com/gpu': '1' };

    const { annotations, spec } = podOf(labels);

    expect(spec?.['containers']).toMatchObject([{ name: 'agent', resources: { requests: wanted, limits: wanted } }]);
    expect(spec?.['nodeSelector']).toEqual({ 'kubernetes.io/arch': 'arm64' });
    expect(annotations?.['davit.dev/size']).toBe('arch=arm64,cpu=1500m,gpu=1,memory=8Gi');
  });

  test("keeps the template's other resources and nodes, and changes no other container", () => {
    const helper = { name: 'helper', image: 'registry.example/helper:1' };
    const resources = {
      requests: { cpu: '250m', 'ephemeral-storage': '1Gi' },
      limits: { memory: '1Gi' },
      claims: [{ name: 'disk' }],
    };
    const spec = {
      nodeSelector: { disk: 'ssd', 'kubernetes.io/arch': 'amd64' },
      containers: [helper, { name: 'agent', image: 'registry.example/agent:1', resources }],
    };
    const profile = makeProfile({
      ...sized,
      sizes: { ...sizes, gpu: { max: 1, resource: 'amd.com/gpu' } },
      template: { spec },
    });

    const pod = podOf(['linux', 'davit/cpu=4', 'davit/arch=arm64', 'davit/gpu=1'], profile).spec;

    expect(pod?.['nodeSelector']).toEqual({ disk: 'ssd', 'kubernetes.io/arch': 'arm64' });
    expect(pod?.['containers']).toEqual([
      helper,
      {
        name: 'agent',
        image: 'registry.example/agent:1',
        env: [],
        resources: {
          requests: { cpu: '4', 'ephemeral-storage': '1Gi', 'amd.com/gpu': '1' },
          limits: { memory: '1Gi', cpu: '4', 'amd.com/gpu': '1' },
          claims: [{ name: 'disk' }],
        },
      },
    ]);
  });

  test("in an image without a shell goes to the runner's container, and not to the init container that connects", () => {
    const spec = {
      initContainers: [{ name: 'agent', image: 'registry.example/curl:1' }],
      containers: [
        { name: 'runner', image: 'registry.example/runner:1' },
        { name: 'helper', image: 'registry.example/helper:1' },
      ],
    };
    const wanted = { cpu: '8', 'nvidia.com/gpu': '1' };

    const pod = podOf(['linux', 'davit/cpu=8', 'davit/gpu=1'], makeProfile({ ...sized, template: { spec } })).spec;

    expect(pod?.['initContainers']).toEqual([{ ...spec.initContainers[0], env: [] }]);
    expect(pod?.['containers']).toEqual([
      { ...spec.containers[0], resources: { requests: wanted, limits: wanted } },
      spec.containers[1],
    ]);
  });

  test('goes to an agent in a sidecar, which runs beside the other containers', () => {
    const sidecar = { name: 'agent', image: 'registry.example/agent:1', restartPolicy: 'Always' };
    const spec = { initContainers: [sidecar], containers: [{ name: 'main', image: 'registry.example/main:1' }] };

    const pod = podOf(['linux', 'davit/cpu=8'], makeProfile({ ...sized, template: { spec } })).spec;

    expect(pod?.['initContainers']).toMatchObject([{ resources: { requests: { cpu: '8' } } }]);
    expect(pod?.['containers']).toEqual(spec.containers);
  });

  test('is one of few steps: any number of labels makes a bounded number of pools', () => {
    const numbers = Array.from({ length: 8000 }, (_, index) => `davit/cpu=${index + 1}m`);

    const accepted = numbers.filter((label) => match(['linux', label]).size !== undefined);

    expect(accepted).toEqual(['davit/cpu=1500m']);
  });

  test.each([
    [{ cpu: { max: 6 } }, 'davit/cpu of 500m, 1, 2, 4, 6'],
    [{ cpu: { max: '250m' } }, 'davit/cpu of 250m'],
    [{ cpu: { max: '2000m' } }, 'davit/cpu of 500m, 1, 2000m'],
    [{ memory: { max: '3G' } }, 'davit/memory of 512Mi, 1Gi, 2Gi, 3G'],
    [{ gpu: { max: 3 } }, 'davit/gpu of 1, 2, 3'],
    [{ gpu: { max: 8, steps: [1, 8] } }, 'davit/gpu of 1, 8'],
    [{ memory: { max: '64Gi', steps: ['24Gi', '48Gi'] } }, 'davit/memory of 24Gi, 48Gi'],
  ])('may be one of these steps of %j: %s', (given, offer) => {
    const profile = makeProfile({ ...sized, sizes: Sizes.parse(given) });
    const [, name = '', values = ''] = /^davit\/(\w+) of (.*)$/.exec(offer) ?? [];

    expect(match(['linux', 'davit/disk=1'], [profile]).reason).toBe(
      `profile sized takes no davit/disk=1: it allows ${offer}`,
    );
    for (const value of values.split(', ')) {
      expect(match(['linux', `davit/${name}=${value}`], [profile]).size).toEqual({ [name]: value });
    }
  });

  test('goes to the first profile that allows it', () => {
    const larger = makeProfile({ ...sized, name: 'larger', sizes: { cpu: { max: '64' } } });

    expect(match(['linux', 'davit/cpu=64'], [plain, sized, larger]).profile?.name).toBe('larger');
    expect(match(['linux', 'davit/cpu=8'], [plain, sized, larger]).profile?.name).toBe('sized');
    expect(match(['davit/cpu=8'], [plain, sized, larger]).profile?.name).toBe('sized');
    expect(match(['linux'], [plain, sized, larger])).toEqual({ profile: plain });
  });

  const cpus = 'expected one of 1, 1500m, 4, 8';
  const memories = 'expected one of 512Mi, 1Gi, 2Gi, 4Gi, 8Gi, 16Gi, 32Gi';
  const offer =
    'it allows davit/arch of amd64, arm64; davit/cpu of 1, 1500m, 4, 8; davit/gpu of 1, 2; ' +
    'davit/memory of 512Mi, 1Gi, 2Gi, 4Gi, 8Gi, 16Gi, 32Gi';
  test.each([
    ...['9', '8001m', '4000m', '4.0', '1.5', 'four', '0', '', '4\n', '5'].map((cpu) => ({
      labels: [`davit/cpu=${cpu}`],
      reason: `profile sized takes no davit/cpu=${cpu}: ${cpus}`,
    })),
    { labels: ['davit/cpu'], reason: `profile sized takes no davit/cpu: ${cpus}` },
    {
      labels: ['davit/memory=8Gi', 'davit/memory=16Gi'],
      reason: 'profile sized takes no davit/memory=16Gi: the job asks for davit/memory=8Gi, too',
    },
    ...['64Gi', '8192Mi', '8', '3Gi'].map((memory) => ({
      labels: [`davit/memory=${memory}`],
      reason: `profile sized takes no davit/memory=${memory}: ${memories}`,
    })),
    { labels: ['davit/arch=s390x'], reason: 'profile sized takes no davit/arch=s390x: expected one of amd64, arm64' },
    ...['3', '0', '01', 'x1', '1x', '1000000'].map((gpus) => ({
      labels: [`davit/gpu=${gpus}`],
      reason: `profile sized takes no davit/gpu=${gpus}: expected one of 1, 2`,
    })),
    { labels: [`davit/${'x'.repeat(100)}`], reason: `profile sized takes no davit/${'x'.repeat(74)}: ${offer}` },
    { labels: ['davit/disk=1Ti'], reason: `profile sized takes no davit/disk=1Ti: ${offer}` },
    { labels: ['davit/'], reason: `profile sized takes no davit/: ${offer}` },
    {
      labels: ['davit/cpu=4', 'DAVIT/CPU=4'],
      reason: 'profile sized takes no DAVIT/CPU=4: the job asks for davit/cpu=4, too',
    },
  ])('is refused for $labels, with the reason', ({ labels, reason }) => {
    expect(match(['linux', ...labels], [plain, sized])).toMatchObject({ reason, refusal: 'Size' });
  });

  test('is refused by a profile that allows no sizes, or not this one', () => {
    const onlyCpu = makeProfile({ ...sized, sizes: { cpu: { max: '2' } } });

    expect(match(['linux', 'davit/cpu=1'], [plain])).toEqual({
      reason: 'profile plain takes no davit/cpu=1: it allows no sizes',
      refusal: 'Size',
      refusedBy: { profile: 'plain', label: 'davit/cpu=1' },
    });
    expect(match(['linux', 'davit/gpu=1'], [onlyCpu])).toEqual({
      reason: 'profile sized takes no davit/gpu=1: it allows davit/cpu of 500m, 1, 2',
      refusal: 'Size',
      refusedBy: { profile: 'sized', label: 'davit/gpu=1' },
    });
  });

  test('of another repository gets no size', () => {
    const ours = makeProfile({ ...sized, repositories: ['umbrella/*'] });

    expect(match(['linux', 'davit/cpu=99'], [ours])).toEqual({
      reason: 'profile sized takes no jobs of acme/app',
      refusal: 'Repository',
      refusedBy: { profile: 'sized' },
    });
  });

  test('may use any case at GitHub, and only lower case at Gitea', () => {
    const gitea = makeProfile({ ...sized, runner: 'gitea' });

    expect(match(['linux', 'Davit/CPU=4']).size).toEqual({ cpu: '4' });
    expect(match(['linux', 'Davit/CPU=4'], [gitea], 'gitea').reason).toMatch(/^no profile has all/);
    expect(match(['linux', 'davit/cpu=4'], [gitea], 'gitea').size).toEqual({ cpu: '4' });
    expect(match(['linux', 'davit/CPU=4'], [gitea], 'gitea').reason).toMatch(
      /no davit\/CPU=4: expected davit\/cpu in lower case$/,
    );
  });
});

test('GPUs are the resource of the profile, or else the usual one, even if it offers none any more', () => {
  expect(resourcesOf({ gpu: '1' }, Sizes.parse({ gpu: { max: 1, resource: 'amd.com/gpu' } }))).toEqual({
    'amd.com/gpu': '1',
  });
  expect(resourcesOf({ gpu: '1' }, {})).toEqual({ 'nvidia.com/gpu': '1' });
  expect(resourcesOf({ gpu: '1' }, undefined)).toEqual({ 'nvidia.com/gpu': '1' });
});

test.each<{ other: object | undefined; one?: object | undefined; allows: boolean }>([
  { other: undefined, one: {}, allows: true },
  { other: undefined, one: undefined, allows: true },
  { other: undefined, one: { arch: ['arm64'] }, allows: false },
  { other: {}, one: { arch: ['arm64'] }, allows: false },
  { other: { arch: ['amd64'] }, one: { arch: ['amd64', 'arm64'] }, allows: false },
  { other: { arch: ['amd64', 'arm64'] }, one: { arch: ['arm64'] }, allows: true },
  { other: undefined, one: { cpu: { max: 1 } }, allows: false },
  { other: { arch: ['amd64'] }, one: { cpu: { max: 1 } }, allows: false },
  { other: { cpu: { max: 2 } }, one: { cpu: { max: '2000m' } }, allows: false },
  { other: { cpu: { max: 2 } }, one: { cpu: { max: 1 } }, allows: true },
  { other: { cpu: { max: 4 } }, one: { cpu: { max: 3 } }, allows: false },
  { other: { cpu: { max: 4, steps: [1, 4] } }, one: { cpu: { max: 2 } }, allows: false },
  { other: { cpu: { max: 4 } }, one: { cpu: { max: 3, steps: [1, 2] } }, allows: true },
  { other: { memory: { max: '2Gi' } }, one: { memory: { max: '3Gi' } }, allows: false },
  { other: { arch: ['amd64'] }, one: { memory: { max: '3Gi' } }, allows: false },
  { other: { gpu: { max: 1 } }, one: { gpu: { max: 2 } }, allows: false },
  { other: { gpu: { max: 2 } }, one: { gpu: { max: 2 } }, allows: true },
])('a profile with the sizes $other allows all of $one: $allows', ({ other, one, allows }) => {
  expect(allowsAllOf(other && Sizes.parse(other), one && Sizes.parse(one))).toBe(allows);
});

describe('a pool', () => {
  const github = CiSystemConfig.parse({
    name: 'github',
    provider: 'github',
    webhookSecret: 'webhook-secret',
    tokenSecret: 'token-secret',
  });
  function poolOf(...labels: string[]) {
    const { profile = plain, size } = match(['linux', ...labels]);
    const join = joinOf(github, profile, { repository, organization: 'acme', jobId: 1 }, size);
    return join === undefined ? undefined : { labels: join.labels, key: poolKeyOf(join) };
  }

  test('has the labels of its profile and of its size, whatever their order in the job', () => {
    expect(poolOf('davit/memory=8Gi', 'davit/cpu=4')).toEqual(poolOf('davit/cpu=4', 'davit/memory=8Gi'));
    expect(poolOf('davit/memory=8Gi', 'davit/cpu=4')?.labels).toEqual(['linux', 'davit/cpu=4', 'davit/memory=8Gi']);
    expect(poolOf()?.labels).toEqual(['linux']);
  });

  test('differs for each size, because the CI system compares labels', () => {
    const pools = [poolOf(), poolOf('davit/cpu=4'), poolOf('davit/cpu=8'), poolOf('davit/memory=4Gi')];

    expect(new Set(pools.map((pool) => pool?.key)).size).toBe(4);
  });
});

const quantity = fc
  .tuple(fc.integer({ min: 1, max: 5000 }), fc.constantFrom('Mi', 'Gi', 'M', 'G'))
  .map(([count, suffix]) => `${count}${suffix}`);
const cores = fc.integer({ min: 1, max: 64_000 }).map((milli) => (milli % 1000 === 0 ? milli / 1000 : `${milli}m`));
const asked = fc.oneof(quantity, cores.map(String), fc.constantFrom('0', '4.0', '1e99', 'x', ''));

test('a job gets exactly the step that it asks for, and no step exceeds the maximum', () => {
  fc.assert(
    fc.property(
      fc.record({
        cpu: cores,
        memory: quantity.filter((text) => isAtMost('1Mi', text)),
        gpu: fc.integer({ min: 1, max: 999 }),
      }),
      fc.constantFrom('cpu' as const, 'memory' as const, 'gpu' as const),
      fc.oneof(
        asked,
        fc.nat(9).map((exponent) => `${2 ** exponent}`),
        fc.nat(9).map((exponent) => `${2 ** exponent}Gi`),
      ),
      (max, name, value) => {
        const allowed = Sizes.parse({ cpu: { max: max.cpu }, memory: { max: max.memory }, gpu: { max: max.gpu } });
        const profile = makeProfile({ ...sized, sizes: allowed });

        const { reason, spec } = podOf(['linux', `davit/${name}=${value}`], profile);

        if (reason !== undefined) return;
        expect(isAtMost(value, `${max[name]}`)).toBe(true);
        const wanted = { [name === 'gpu' ? 'nvidia.com/gpu' : name]: value };
        expect(spec?.['containers']).toMatchObject([{ resources: { requests: wanted, limits: wanted } }]);
      },
    ),
    { numRuns: 500 },
  );
});

test('the maximum itself is always a step', () => {
  fc.assert(
    fc.property(cores, fc.integer({ min: 1, max: 999 }), (cpu, gpu) => {
      const profile = makeProfile({ ...sized, sizes: Sizes.parse({ cpu: { max: cpu }, gpu: { max: gpu } }) });

      expect(match(['linux', `davit/cpu=${cpu}`, `davit/gpu=${gpu}`], [profile]).size).toEqual({
        cpu: `${cpu}`,
        gpu: `${gpu}`,
      });
    }),
  );
});
