import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  AgentName,
  agentNameOf,
  apiLaunchId,
  githubLaunchId,
  isAgentOf,
  LaunchId,
  labelsOf,
  mostRelaunches,
} from '../../../../functions/domain/names.ts';

const dns1035Label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
// https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html
const executionName = /^[-_A-Za-z0-9]{1,80}$/;
const labelValue = /^[a-zA-Z0-9]([-._a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;

// GitHub's ids are 64-bit, and JSON brings them as doubles.
const anyId = fc.maxSafeNat();
const anyJob = fc.record({ repositoryId: anyId, jobId: anyId, runAttempt: fc.integer({ min: 1, max: 1_000_000 }) });
// Text that is likely to collide once it is made readable.
const anyJobId = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', 'A', '-', '_', '/', '.', ' '), maxLength: 6 }),
  fc.string({ minLength: 200, maxLength: 300 }),
);

// The first, and one for each relaunch that a profile may ask for.
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

test('a GitHub job names a launch whose id is an execution name and whose agent is a DNS-1035 label', () => {
  fc.assert(fc.property(anyJob, (job) => expectUsable(githubLaunchId(job))));
});

test('two GitHub jobs never share a launch', () => {
  fc.assert(
    fc.property(anyJob, anyJob, (one, other) => {
      const same =
        one.repositoryId === other.repositoryId && one.jobId === other.jobId && one.runAttempt === other.runAttempt;

      expect(githubLaunchId(one) === githubLaunchId(other)).toBe(same);
    }),
  );
});

test('the attempts of a GitHub job are launches of their own', () => {
  const job = { repositoryId: 186_853_002, jobId: 2_832_853_555 };

  expect(githubLaunchId({ ...job, runAttempt: 1 })).toBe('github-186853002-2832853555-1');
  expect(githubLaunchId({ ...job, runAttempt: 2 })).toBe('github-186853002-2832853555-2');
});

test("any text of a caller's names a launch whose id is an execution name and whose agent is a DNS-1035 label", () => {
  fc.assert(fc.property(anyJobId, (jobId) => expectUsable(apiLaunchId(jobId))));
});

test("two texts of callers' never share a launch, however alike they read", () => {
  fc.assert(
    fc.property(anyJobId, anyJobId, (one, other) => {
      expect(apiLaunchId(one) === apiLaunchId(other)).toBe(one === other);
    }),
  );
});

test('the same text is always the same launch, and stays readable', () => {
  expect(apiLaunchId('Build #42 / linux')).toMatch(/^api-build-42-linux-[0-9a-f]{16}$/);
  expect(apiLaunchId('Build #42 / linux')).toBe(apiLaunchId('Build #42 / linux'));
});

test('a text without a readable character is told by its hash alone', () => {
  expect(apiLaunchId('///')).toMatch(/^api-[0-9a-f]{16}$/);
});

test("an agent's name is its launch's, and from the second generation on says which", () => {
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
  const anyLaunchId = fc.oneof(anyJob.map(githubLaunchId), anyJobId.map(apiLaunchId));
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

test('a launch id that ends as a generation does still has agents of its own', () => {
  expect([isAgentOf('x-r2', 'davit-x-r2'), isAgentOf('x-r2', 'davit-x-r2-r3')]).toEqual([true, true]);
});

test.each(['', '1a', 'a-', 'A', 'a_b', 'a'.repeat(55), 'a\n', 'ä'])('%j is no launch id', (text) => {
  expect(LaunchId.safeParse(text).success).toBe(false);
});

test('everything of a launch carries the labels by which davit knows it', () => {
  expect(labelsOf({ launchId: 'github-1-2-1', agentName: 'davit-github-1-2-1-r2', profile: 'linux' })).toEqual({
    'app.kubernetes.io/managed-by': 'davit',
    'app.kubernetes.io/name': 'davit-agent',
    'davit.dev/launch-id': 'github-1-2-1',
    'davit.dev/agent-name': 'davit-github-1-2-1-r2',
    'davit.dev/profile': 'linux',
  });
});
