import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentPod } from '../../../../functions/domain/agent-objects.ts';
import { allowsAllOf, resourcesOf } from '../../../../functions/domain/agent-size.ts';
import { CiSystemConfig, type RunnerProvider } from '../../../../functions/domain/ci-system-config.ts';
import type { Profile } from '../../../../functions/domain/config.ts';
import { joinOf } from '../../../../functions/domain/join-of.ts';
import { matchProfile } from '../../../../functions/domain/match-profile.ts';
import { planLaunch } from '../../../../functions/domain/plan-launch.ts';
import { poolKeyOf } from '../../../../functions/domain/pool.ts';
import { Sizes } from '../../../../functions/domain/sizes.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const sizes = Sizes.parse({
  cpu: { max: 8 },
  memory: { max: '32Gi' },
  arch: ['amd64', 'arm64'],
  gpu: { max: 2 },
});
const sized = makeProfile({ name: 'sized', labels: ['linux'], runner: 'github', sizes });
const plain = makeProfile({ name: 'plain', labels: ['linux'] });
const repository = { id: 1, owner: 'acme', name: 'app' };

function match(labels: readonly string[], profiles: readonly Profile[] = [sized], provider: RunnerProvider = 'github') {
  return matchProfile(profiles, provider, { job: { id: 1, attempt: 1, name: 'build', labels }, repository });
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

  test('may ask for 1 MiB of memory, and no less', () => {
    expect(match(['linux', 'davit/memory=1Mi']).size).toEqual({ memory: '1Mi' });
    expect(match(['linux', 'davit/memory=1023Ki']).reason).toMatch(/at least 1Mi/);
  });

  test('may write a quantity in up to 20 characters', () => {
    expect(match(['linux', 'davit/cpu=000000000000000004.0']).size).toEqual({ cpu: '000000000000000004.0' });
  });

  test('goes to the first profile that allows it', () => {
    const larger = makeProfile({ ...sized, name: 'larger', sizes: { cpu: { max: '64' } } });

    expect(match(['linux', 'davit/cpu=64'], [plain, sized, larger]).profile?.name).toBe('larger');
    expect(match(['linux', 'davit/cpu=8'], [plain, sized, larger]).profile?.name).toBe('sized');
    expect(match(['davit/cpu=8'], [plain, sized, larger]).profile?.name).toBe('sized');
    expect(match(['linux'], [plain, sized, larger])).toEqual({ profile: plain });
  });

  const offer = 'it allows davit/arch of amd64, arm64; davit/cpu up to 8; davit/gpu up to 2; davit/memory up to 32Gi';
  test.each([
    { labels: ['davit/cpu=9'], reason: 'profile sized takes no davit/cpu=9: its maximum is 8' },
    { labels: ['davit/cpu=8001m'], reason: 'profile sized takes no davit/cpu=8001m: its maximum is 8' },
    {
      labels: ['davit/memory=33G', 'davit/memory=35G'],
      reason: 'profile sized takes no davit/memory=35G: the job asks for davit/memory=33G, too',
    },
    { labels: ['davit/memory=35G'], reason: 'profile sized takes no davit/memory=35G: its maximum is 32Gi' },
    {
      labels: ['davit/memory=8'],
      reason: 'profile sized takes no davit/memory=8: expected memory such as 8Gi, at least 1Mi, and at most 32Gi',
    },
    {
      labels: ['davit/cpu=four'],
      reason: 'profile sized takes no davit/cpu=four: expected cores such as 4 or 500m, and at most 8',
    },
    {
      labels: ['davit/cpu=0'],
      reason: 'profile sized takes no davit/cpu=0: expected cores such as 4 or 500m, and at most 8',
    },
    {
      labels: ['davit/cpu=0.0001'],
      reason: 'profile sized takes no davit/cpu=0.0001: expected cores such as 4 or 500m, and at most 8',
    },
    {
      labels: ['davit/cpu'],
      reason: 'profile sized takes no davit/cpu: expected cores such as 4 or 500m, and at most 8',
    },
    { labels: ['davit/arch=s390x'], reason: 'profile sized takes no davit/arch=s390x: expected one of amd64, arm64' },
    { labels: ['davit/gpu=3'], reason: 'profile sized takes no davit/gpu=3: its maximum is 2' },
    {
      labels: ['davit/gpu=0'],
      reason: 'profile sized takes no davit/gpu=0: expected a whole number from 1, and at most 2',
    },
    ...['01', 'x1', '1x', '1000000'].map((gpus) => ({
      labels: [`davit/gpu=${gpus}`],
      reason: `profile sized takes no davit/gpu=${gpus}: expected a whole number from 1, and at most 2`,
    })),
    { labels: ['davit/gpu=999999'], reason: 'profile sized takes no davit/gpu=999999: its maximum is 2' },
    {
      labels: ['davit/cpu=000000000000000004.00'],
      reason: 'profile sized takes no davit/cpu=000000000000000004.00: expected cores such as 4 or 500m, and at most 8',
    },
    {
      labels: ['davit/cpu=4\n'],
      reason: 'profile sized takes no davit/cpu=4\n: expected cores such as 4 or 500m, and at most 8',
    },
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
      reason: 'profile sized takes no davit/gpu=1: it allows davit/cpu up to 2',
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

test.each<{ other: object | undefined; one?: object; allows: boolean }>([
  { other: undefined, one: {}, allows: true },
  { other: undefined, allows: true },
  { other: undefined, one: { arch: ['arm64'] }, allows: false },
  { other: {}, one: { arch: ['arm64'] }, allows: false },
  { other: { arch: ['amd64'] }, one: { arch: ['amd64', 'arm64'] }, allows: false },
  { other: { arch: ['amd64', 'arm64'] }, one: { arch: ['arm64'] }, allows: true },
  { other: undefined, one: { cpu: { max: 1 } }, allows: false },
  { other: { arch: ['amd64'] }, one: { cpu: { max: 1 } }, allows: false },
  { other: { cpu: { max: 2 } }, one: { cpu: { max: '2000m' } }, allows: true },
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
    const join = joinOf(github, profile, { repository, organization: 'acme' }, size);
    return join === undefined ? undefined : { labels: join.labels, key: poolKeyOf(join) };
  }

  test('has the labels of its profile and of its size, whatever their order in the job', () => {
    expect(poolOf('davit/memory=8Gi', 'davit/cpu=4')).toEqual(poolOf('davit/cpu=4', 'davit/memory=8Gi'));
    expect(poolOf('davit/memory=8Gi', 'davit/cpu=4')?.labels).toEqual(['linux', 'davit/cpu=4', 'davit/memory=8Gi']);
    expect(poolOf()?.labels).toEqual(['linux']);
  });

  test('differs for each spelling of a size, because the CI system compares texts', () => {
    const pools = [poolOf(), poolOf('davit/cpu=4'), poolOf('davit/cpu=4000m'), poolOf('davit/memory=4Gi')];

    expect(new Set(pools.map((pool) => pool?.key)).size).toBe(4);
  });
});

/** A quantity and its exact amount, in thousandths. */
const quantity = fc
  .tuple(
    fc.nat(5000),
    fc.constantFrom<[string, bigint]>(
      ['m', 1n],
      ['', 1000n],
      ['k', 10n ** 6n],
      ['M', 10n ** 9n],
      ['Mi', 1000n * 1024n ** 2n],
      ['G', 10n ** 12n],
      ['Gi', 1000n * 1024n ** 3n],
    ),
  )
  .map(([count, [suffix, factor]]) => ({ text: `${count}${suffix}`, milli: BigInt(count) * factor }));
const above0 = quantity.filter(({ milli }) => milli > 0n);
const arch = fc.constantFrom('amd64', 'arm64', 's390x');

test('no accepted request exceeds a maximum, and no request within all maxima is refused', () => {
  const archs = fc.uniqueArray(fc.constantFrom('amd64' as const, 'arm64' as const), { minLength: 1 });
  const gpus = fc.integer({ min: 1, max: 8 });
  fc.assert(
    fc.property(
      fc.record({ cpu: above0, memory: above0, gpu: gpus, arch: archs }),
      fc.record({ cpu: quantity, memory: quantity, gpu: fc.nat(10), arch }, { requiredKeys: [] }),
      fc.array(fc.constantFrom('davit/cpu=', 'davit/cpu=1e99', 'davit/memory=99999Ti', 'davit/gpu=99', 'davit/x=1'), {
        maxLength: 1,
      }),
      (max, asked, strange) => {
        const allowed = Sizes.parse({
          cpu: { max: max.cpu.text },
          memory: { max: max.memory.text },
          gpu: { max: max.gpu },
          arch: max.arch,
        });
        const profile = makeProfile({ ...sized, sizes: allowed });
        const labels = [
          ...(asked.cpu === undefined ? [] : [`davit/cpu=${asked.cpu.text}`]),
          ...(asked.memory === undefined ? [] : [`davit/memory=${asked.memory.text}`]),
          ...(asked.gpu === undefined ? [] : [`davit/gpu=${asked.gpu}`]),
          ...(asked.arch === undefined ? [] : [`davit/arch=${asked.arch}`]),
          ...strange,
        ];

        const { reason, spec } = podOf(['linux', ...labels], profile);

        const { cpu = { milli: 1n }, memory = { milli: 2n ** 40n }, gpu = 1 } = asked;
        const isMeant = cpu.milli > 0n && memory.milli >= 1000n * 1024n ** 2n && gpu > 0;
        const isWithin =
          (asked.cpu?.milli ?? 0n) <= max.cpu.milli &&
          (asked.memory?.milli ?? 0n) <= max.memory.milli &&
          (asked.gpu ?? 0) <= max.gpu &&
          (asked.arch === undefined || max.arch.some((each) => each === asked.arch));
        expect(reason === undefined).toBe(isMeant && isWithin && strange.length === 0);
        if (reason !== undefined) return;
        const wanted = {
          ...(asked.cpu === undefined ? {} : { cpu: asked.cpu.text }),
          ...(asked.memory === undefined ? {} : { memory: asked.memory.text }),
          ...(asked.gpu === undefined ? {} : { 'nvidia.com/gpu': `${asked.gpu}` }),
        };
        const resources = Object.keys(wanted).length === 0 ? undefined : { requests: wanted, limits: wanted };
        expect(spec?.['containers']).toEqual([
          { name: 'agent', image: 'registry.example/agent:1', env: [], ...(resources && { resources }) },
        ]);
      },
    ),
    { numRuns: 500 },
  );
});
