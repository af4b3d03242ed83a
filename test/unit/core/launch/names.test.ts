import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import type { JobId } from '../../../../core/job/job-id.ts';
import {
  AgentName,
  agentNameOf,
  apiLaunchId,
  ciLaunchId,
  generationOf,
  isAgentOf,
  LaunchId,
  labelsOf,
  launchIdOfAgent,
  mostAttempts,
  mostRelaunches,
  mostReplacements,
  warmLaunchId,
} from '../../../../core/launch/names.ts';
import { anyCodePoint } from '../../../support/any-code-point.ts';

const dns1035Label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
// https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
const executionName = /^[-_A-Za-z0-9]{1,80}$/;
const labelValue = /^[a-zA-Z0-9]([-._a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;

// GitHub's ids are 64-bit, and JSON parses them as doubles.
const anyId = fc.maxSafeNat();
// Text that is likely to collide once it is made readable.
const anyJobId = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCodePoint }),
  fc.string({ unit: fc.constantFrom('a', 'A', '-', '_', '/', '.', ' '), maxLength: 6 }),
  fc.string({ minLength: 200, maxLength: 300 }),
);

const anyCiSystem = fc.oneof(
  fc.constantFrom('a', 'a-1', 'a-1-1', 'api-x', 'x1', 'twelve-chars'),
  fc.stringMatching(/^[a-z][-a-z0-9]{0,10}[a-z0-9]$/),
);
const smallId = fc.nat({ max: 2 });
const anyText = fc.oneof(anyJobId, fc.constantFrom('1', '1-1', 'x1', 'r2'));
const anyKeyOf = <Id extends number | string>(id: fc.Arbitrary<Id>) =>
  fc.record(
    {
      ciSystem: anyCiSystem,
      repositoryId: id,
      jobId: id,
      attempt: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: mostAttempts })),
      replacement: fc.integer({ min: 1, max: mostReplacements }),
    },
    { requiredKeys: ['ciSystem', 'repositoryId', 'jobId', 'attempt'] },
  );
const anyJob = fc.oneof(anyKeyOf(anyId), anyKeyOf(smallId), anyKeyOf(anyText));
const launchIdOf = ({ replacement, ...job }: JobId & { replacement?: number }) => ciLaunchId(job, replacement);

// The first generation, and one for each relaunch that a profile may have.
const generations = Array.from({ length: 1 + mostRelaunches }, (_, index) => index + 1);

function expectUsable(launchId: string): void {
  expect(launchId).toMatch(executionName);
  expect(launchId).toMatch(labelValue);
  expect(LaunchId.safeParse(launchId).success).toBe(true);
  for (const generation of generations) {
    const agentName = agentNameOf(launchId, generation);
    expect(agentName).toMatch(dns1035Label);
    expect(agentName).toMatch(labelValue);
    expect(agentName.length).toBeLessThanOrEqual(63);
    expect(AgentName.safeParse(agentName).success).toBe(true);
  }
}

test("a CI system's job names a launch whose id is an execution name and whose agent is a DNS-1035 label", () => {
  fc.assert(fc.property(anyJob, (job) => expectUsable(launchIdOf(job))));
});

test('two jobs of CI systems never share a launch, and neither do two launches of one job', () => {
  fc.assert(
    fc.property(anyJob, anyJob, (one, other) => {
      expect(launchIdOf(one) === launchIdOf(other)).toBe(isDeepStrictEqual(one, other));
    }),
    { numRuns: 1000 },
  );
});

test('no job of a CI system shares a launch with what POST /launches asks for', () => {
  fc.assert(
    fc.property(anyJob, anyJobId, (job, jobId) => {
      expect(launchIdOf(job)).not.toBe(apiLaunchId(jobId));
    }),
  );
});

test('each attempt of a job is a separate launch, and so is each of its replacements', () => {
  const job = { ciSystem: 'github', repositoryId: 186_853_002, jobId: 2_832_853_555 };

  expect(ciLaunchId({ ...job, attempt: 1 })).toBe('github-186853002-2832853555-1');
  expect(ciLaunchId({ ...job, attempt: 2 })).toBe('github-186853002-2832853555-2');
  expect(ciLaunchId({ ...job, attempt: 2 }, 1)).toBe('github-186853002-2832853555-2-x1');
  expect(ciLaunchId({ ...job, attempt: 2 }, 9999)).toBe('github-186853002-2832853555-2-x9999');
});

test('a replacement that finds no room beside long ids gets a hash in their place', () => {
  const id = Number.MAX_SAFE_INTEGER;
  const job = { ciSystem: 'twelve-chars', repositoryId: id, jobId: id, attempt: mostAttempts };

  expect(ciLaunchId(job, 9)).toBe(`twelve-chars-${id}-${id}-9999-x9`);
  expect(ciLaunchId(job, 10)).toMatch(/^twelve-chars-90071-[0-9a-f]{16}-9999-x10$/);
});

test('a job whose id is text stays readable', () => {
  const job = { ciSystem: 'jenkins', repositoryId: 'folder', jobId: 'Build #12 / linux', attempt: 1 };

  expect(ciLaunchId(job)).toMatch(/^jenkins-build-12-linux-[0-9a-f]{16}-1$/);
});

test('one id that is text makes a hash of all ids, which every version of davit makes alike', () => {
  const job = { ciSystem: 'jenkins', repositoryId: 'folder', jobId: 8, attempt: 1 };
  const others = [
    { ...job, repositoryId: 'other' },
    { ...job, repositoryId: 7, jobId: 'a/b' },
    { ...job, repositoryId: 7, jobId: 'a b' },
  ];

  expect(ciLaunchId(job)).toBe('jenkins-8-b4ee19070dc4f5f7-1');
  expect(new Set([job, ...others].map((each) => ciLaunchId(each))).size).toBe(4);
});

test("any caller's job id names a launch whose id is an execution name and whose agent is a DNS-1035 label", () => {
  fc.assert(fc.property(anyJobId, (jobId) => expectUsable(apiLaunchId(jobId))));
});

test('two different job ids of callers never share a launch, however alike they read', () => {
  fc.assert(
    fc.property(anyJobId, anyJobId, (one, other) => {
      expect(apiLaunchId(one) === apiLaunchId(other)).toBe(one === other);
    }),
  );
});

test('the same job id is always the same launch, and stays readable', () => {
  expect(apiLaunchId('Build #42 / linux')).toBe('api-build-42-linux-595d1424891950e1');
});

test('a job id without a readable character becomes only its hash', () => {
  expect(apiLaunchId('///')).toMatch(/^api-[0-9a-f]{16}$/);
});

test('an agent is named after its launch, and from the second generation on after the generation, too', () => {
  expect(generations.map((generation) => agentNameOf('github-1-2-1', generation))).toEqual([
    'davit-github-1-2-1',
    'davit-github-1-2-1-r2',
    'davit-github-1-2-1-r3',
    'davit-github-1-2-1-r4',
    'davit-github-1-2-1-r5',
    'davit-github-1-2-1-r6',
    'davit-github-1-2-1-r7',
    'davit-github-1-2-1-r8',
    'davit-github-1-2-1-r9',
  ]);
});

test("no two launches share an agent's name, in whatever generation", () => {
  const anyGeneration = fc.constantFrom(...generations);
  const anyLaunchId = fc.oneof(
    anyJob.map((job) => ciLaunchId(job)),
    anyJobId.map(apiLaunchId),
  );
  fc.assert(
    fc.property(anyLaunchId, anyGeneration, anyLaunchId, anyGeneration, (one, first, other, second) => {
      const isSameAgent = one === other && first === second;

      expect(agentNameOf(one, first) === agentNameOf(other, second)).toBe(isSameAgent);
      expect(isAgentOf(one, agentNameOf(other, second))).toBe(one === other);
    }),
  );
});

test.each([
  { agentName: 'davit-x', isXs: true },
  { agentName: 'davit-x-r2', isXs: true },
  { agentName: 'davit-x-r9', isXs: true },
  { agentName: 'davit-x-r1', isXs: false },
  { agentName: 'davit-x-r2-r2', isXs: false },
  { agentName: 'davit-x-r10', isXs: false },
  { agentName: 'davit-xr2', isXs: false },
  { agentName: 'x', isXs: false },
])('$agentName is an agent of the launch x: $isXs', ({ agentName, isXs }) => {
  expect(isAgentOf('x', agentName)).toBe(isXs);
});

test.each([
  { agentName: 'davit-x', launchId: 'x', generation: 1 },
  { agentName: 'davit-x-r2', launchId: 'x', generation: 2 },
  { agentName: 'davit-x-r9', launchId: 'x', generation: 9 },
  { agentName: 'davit-x-r2-1', launchId: 'x-r2-1', generation: 1 },
  { agentName: 'davit-davit-x-r3', launchId: 'davit-x', generation: 3 },
])('$agentName is generation $generation of the launch $launchId', ({ agentName, launchId, generation }) => {
  expect([launchIdOfAgent(agentName), generationOf(agentName)]).toEqual([launchId, generation]);
});

test('a warm agent has a launch of its own for each number in each pool', () => {
  const one = warmLaunchId('github', 'a pool', 1);

  expect(one).toMatch(/^github-warm-[0-9a-f]{12}-1$/);
  expect(warmLaunchId('github', 'a pool', 1)).toBe(one);
  expect(new Set([one, warmLaunchId('github', 'a pool', 2), warmLaunchId('github', 'another', 1)]).size).toBe(3);
});

test('a launch id that looks like a generation still has agents of its own', () => {
  expect([isAgentOf('x-r2', 'davit-x-r2'), isAgentOf('x-r2', 'davit-x-r2-r3')]).toEqual([true, true]);
});

test('a letter is a launch id', () => {
  expect(LaunchId.safeParse('a').success).toBe(true);
});

test.each(['', '1a', 'a-', 'A', 'a_b', 'a'.repeat(55), 'a\n', 'ä'])('%j is not a launch id', (text) => {
  expect(LaunchId.safeParse(text).success).toBe(false);
});

test.each(['', 'x', 'davit-', 'davit-1', 'xdavit-a', 'davit-a-', 'davit-A', `davit-${'a'.repeat(55)}`, 'davit-a\n'])(
  '%j is not the name of an agent',
  (text) => {
    expect(AgentName.safeParse(text).success).toBe(false);
  },
);

test('a refused name is told what was expected', () => {
  const [launchId, agentName] = [LaunchId, AgentName].map((schema) => schema.safeParse('1').error?.issues[0]?.message);

  expect(launchId).toBe('expected a launch id: up to 54 of a-z, 0-9 and -, starting with a letter');
  expect(agentName).toBe('expected an agent name: davit- and a launch id');
});

test("every object of a launch carries davit's labels", () => {
  expect(labelsOf({ launchId: 'github-1-2-1', agentName: 'davit-github-1-2-1-r2', profile: 'linux' })).toEqual({
    'app.kubernetes.io/managed-by': 'davit',
    'app.kubernetes.io/name': 'davit-agent',
    'davit.dev/launch-id': 'github-1-2-1',
    'davit.dev/agent-name': 'davit-github-1-2-1-r2',
    'davit.dev/profile': 'linux',
  });
});
