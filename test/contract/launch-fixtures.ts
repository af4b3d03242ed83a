import * as fc from 'fast-check';
import type { Join } from '../../core/ci/join.ts';
import type { AttributedEnding, Ending, LaunchRecord, RunnerOfJob, Signal } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import type { Timeline } from '../../core/launch/timeline.ts';
import type { AgentIdentity } from '../../ports/credentials.ts';

/** 2026-01-01T00:00:00Z. */
export const epochMs = 1_767_225_600_000;

/** A launch's plan. */
export function planOf(launchId: string, overrides: Partial<LaunchPlan> = {}): LaunchPlan {
  return {
    launchId,
    agentName: agentNameOf(launchId),
    profile: 'linux',
    cluster: 'sandbox',
    namespace: 'davit-agents',
    expose: 'nodePort',
    hostAddress: 'hostIP',
    agentPort: 8811,
    tls: false,
    deadlines: {
      serviceSeconds: 600,
      nodePortSeconds: 60,
      podSeconds: 600,
      placementSeconds: 900,
      publishSeconds: 60,
      connectSeconds: 600,
      quotaSeconds: 600,
      nodePortRangeSeconds: 600,
    },
    graces: { imagePullSeconds: 30, containerSeconds: 30 },
    requestedAtEpochMs: epochMs,
    generation: 1,
    startedAtEpochMs: epochMs,
    maxRelaunches: 2,
    ...overrides,
  };
}

/** The plan of a launch whose agent joins a CI system. */
export function joinedPlanOf(launchId: string, overrides: Partial<LaunchPlan> = {}): LaunchPlan {
  const scope = { organization: 'acme' };
  return planOf(launchId, { join: { ciSystem: 'gitea', scope, labels: ['linux'], idleSeconds: 300 }, ...overrides });
}

/** The same, of a pool with warm agents. */
export function warmPlanOf(launchId: string, overrides: Partial<LaunchPlan> = {}): LaunchPlan {
  const scope = { organization: 'acme' };
  const join: Join = { ciSystem: 'gitea', scope, labels: ['linux'], idleSeconds: 300, standsBy: true };
  return planOf(launchId, { join, ...overrides });
}

/** The runner of a job in a repository of that CI system, with this id. */
export function jobRunner(id: number, overrides: Partial<RunnerOfJob> = {}): RunnerOfJob {
  return { ciSystem: 'gitea', id, repository: { owner: 'acme', name: 'app' }, ...overrides };
}

/** The id of the credential with this number. */
export function credentialIdOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** The agent of one of a launch's generations. */
export function agentOf(launchId: string, generation = 1): Required<AgentIdentity> {
  return { launchId, agentName: agentNameOf(launchId, generation), credentialId: credentialIdOf(generation) };
}

/** The record of a new launch. */
export function recordOf(launchId: string, overrides: Partial<LaunchRecord> = {}): LaunchRecord {
  return {
    launchId,
    status: 'launching',
    plan: planOf(launchId),
    env: { GREETING: 'hello' },
    labels: { team: 'build' },
    requestedAtEpochMs: epochMs,
    expiresAtEpochSeconds: 1_768_435_200,
    ...overrides,
  };
}

/** The record of a job that was over before its launch was requested. */
export function tombstoneOf(launchId: string): LaunchRecord {
  return {
    launchId,
    status: 'terminated',
    ending: endingOf({ outcome: 'terminated', code: 'Terminated' }),
    requestedAtEpochMs: epochMs,
    expiresAtEpochSeconds: 1_768_435_200,
  };
}

/** An ending. */
export function endingOf(overrides: Partial<AttributedEnding> = {}): AttributedEnding {
  return {
    outcome: 'failed',
    code: 'ImagePullFailed',
    message: 'ImagePullFailed: manifest unknown',
    by: 'PollHostIP',
    actor: { kind: 'davit', name: 'PollHostIP' },
    atEpochMs: epochMs + 5000,
    ...overrides,
  };
}

/** A signal from the cluster. */
export function signalOf(overrides: Partial<Signal> = {}): Signal {
  return { code: 'Unschedulable', detail: '0/3 nodes are available', sinceEpochMs: epochMs + 1000, ...overrides };
}

/** Any moment of the day after `epochMs`. */
export const anyEpochMs = fc.integer({ min: epochMs, max: epochMs + 86_400_000 });

/** Any timeline of a few moments, or none. */
export const anyTimeline: fc.Arbitrary<Timeline | undefined> = fc.option(
  fc.record({ podMs: fc.nat(60_000), scheduledMs: fc.integer({ min: -999, max: 60_000 }) }, { requiredKeys: [] }),
  { nil: undefined },
);

/** Any signal, with one of two codes, about one of two containers or about none. */
export const anySignal: fc.Arbitrary<Signal> = fc.record(
  {
    code: fc.constantFrom('ContainerStartFailed', 'ImagePullFailed'),
    container: fc.constantFrom('agent', 'helper'),
    detail: fc.string(),
    sinceEpochMs: anyEpochMs,
  },
  { requiredKeys: ['code', 'detail', 'sinceEpochMs'] },
);

/** Any ending. */
export const anyEnding: fc.Arbitrary<Ending> = fc.record(
  {
    outcome: fc.constantFrom('failed', 'terminated'),
    code: fc.constantFrom('PodFailed', 'Terminated'),
    message: fc.string(),
    by: fc.constantFrom('DELETE /launches', 'PublishToken'),
    actor: fc.constant({ kind: 'person', name: 'somebody' } as const),
    atEpochMs: anyEpochMs,
  },
  { requiredKeys: ['outcome', 'code', 'message', 'by', 'atEpochMs'] },
);
