import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import type { Retirement } from '../../core/invoked-events.ts';
import type { JobStatus, SeenJob } from '../../core/job/job-record.ts';
import { isLive, type LaunchRecord, liveStatuses } from '../../core/launch/launch-record.ts';
import { runnerNameOf } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import { type ReconcileInput, reconcile } from '../../functions/reconcile/reconcile.ts';
import type { ReconcileDeps } from '../../functions/reconcile/reconcile-deps.ts';
import type { ReconcileReport } from '../../functions/reconcile/reconcile-report.ts';
import { reportToCi } from '../../functions/report-to-ci/report-to-ci.ts';
import { retireRunner } from '../../functions/retire-runner/retire-runner.ts';
import { answerRegisteredJob } from '../../functions/webhook/answer-job.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteRoundMemory } from '../../local/store/sqlite-ci-memory.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { FakeCi, type FakeJob } from './fake-ci.ts';
import { makeLaunchDeps, type TestLaunchDeps, testInstallationId } from './make-launch-deps.ts';

/** The name of the world's CI system. */
export const worldsGitea = CiSystemConfig.parse({
  name: 'gitea',
  provider: 'gitea',
  url: 'http://gitea.example:3000',
  webhookSecret: 'webhook-secret',
  tokenSecret: 'token-secret',
});

/** The parts of davit that a world replaces with wrong ones. */
export type Wrong = (deps: ReconcileDeps, all: TestLaunchDeps) => ReconcileDeps;

/**
 * A CI system, agents that take any job, and davit's binding, retirement and reconciliation, in virtual time. Only its
 * methods make something happen.
 */
export class CiWorld {
  nowEpochMs = Date.parse('2026-11-22T12:00:00Z');
  readonly ci = new FakeCi();
  readonly memory = sqliteRoundMemory(openStore(':memory:'));
  readonly clusterStates = sqliteClusterStates(openStore(':memory:'));
  readonly deps;
  readonly reconcileDeps: ReconcileDeps;
  /** Retirements that are requested but not yet carried out. */
  readonly retirements: Retirement[] = [];
  /** Launches that ended while their runner ran a job. */
  readonly killed: string[] = [];
  /** Every requested launch, in order. */
  readonly requested: string[] = [];

  constructor(profiles: readonly Profile[], wrong: Wrong = (deps) => deps) {
    this.deps = makeLaunchDeps({ profiles, ciSystems: [worldsGitea], nowEpochMs: () => this.nowEpochMs });
    const { launches } = this.deps;
    const request = launches.request.bind(launches);
    launches.request = async (record) => {
      const answer = await request(record);
      if (answer.created) this.requested.push(record.launchId);
      return answer;
    };
    const end = launches.end.bind(launches);
    launches.end = async (...args) => {
      const before = await launches.get(args[0]);
      const after = await end(...args);
      const runs = before?.runner && this.ci.jobOf(before.runner.id);
      if (isLive(before) && !isLive(after) && runs !== undefined) this.killed.push(`${args[0]} in job ${runs.id}`);
      return after;
    };
    this.reconcileDeps = wrong(
      {
        ...this.deps,
        ciSystems: [worldsGitea],
        ciSystemOf: () => this.ci,
        invokeLater: async (functionName, event) => {
          if (functionName === 'retire-runner') this.retirements.push(event);
          else await reportToCi({ told: this.memory.told, pace: this.deps.pace, ciSystemOf: () => this.ci }, event);
        },
        ...this.memory,
        clusterStates: this.clusterStates,
        sleep: async () => {},
        totalMs: 30_000,
      },
      this.deps,
    );
  }

  async reconcile(input?: ReconcileInput): Promise<ReconcileReport> {
    return reconcile(this.reconcileDeps, input);
  }

  /** Reconciles after a while. @param afterMs the interval of reconciling */
  async nextRound(afterMs = 60_000): Promise<ReconcileReport> {
    this.nowEpochMs += afterMs;
    return this.reconcile();
  }

  /** Reconciles once in each of so many minutes, and does what follows from it. @returns the repairs */
  async rounds(count: number): Promise<string[]> {
    const repairs: string[] = [];
    for (let round = 0; round < count; round += 1) {
      repairs.push(...(await this.nextRound()).repairs.map(({ repair }) => repair));
      await this.retire();
      await this.sweep();
    }
    return repairs;
  }

  /** Carries out the requested retirements. */
  async retire(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    for (const retirement of this.retirements.splice(0)) {
      const deps = { ...this.deps, ciSystemOf: () => this.ci, sleep: meanwhile };
      await retireRunner(deps, retirement).catch(() => undefined);
    }
  }

  async deliver(status: JobStatus, job: FakeJob): Promise<void> {
    const { id: jobId, attempt, repository, repositoryId, name, labels, runner, queuedAtEpochMs } = job;
    const conclusion = job.status === 'cancelled' ? 'cancelled' : 'success';
    const event: SeenJob = {
      ciSystem: worldsGitea.name,
      repositoryId,
      jobId,
      attempt,
      status,
      repository,
      organization: repository.owner,
      name,
      labels: [...labels],
      // Gitea sends when the job was created, and a further attempt was queued later.
      ...present({ queuedAtEpochMs: attempt === 1 ? queuedAtEpochMs : undefined, runner }),
      ...(status === 'completed' ? { conclusion } : {}),
    };
    await answerRegisteredJob(this.deps, worldsGitea, event);
  }

  async launches(): Promise<LaunchRecord[]> {
    const page = await this.deps.launches.list({ statuses: liveStatuses, limit: 1000 });
    return page?.launches ?? [];
  }

  /** Returns the only live launch. @throws Error when there is none, or more than one */
  async onlyLaunch(): Promise<LaunchRecord> {
    const [launch, ...others] = await this.launches();
    if (launch === undefined || others.length > 0)
      throw new Error(`expected one launch, not ${launch ? others.length + 1 : 0}`);
    return launch;
  }

  /** Registers a launch's agent, as connect does. */
  async connect({ launchId, plan }: LaunchRecord): Promise<void> {
    if (plan?.join === undefined) return;
    const agent = { launchId, agentName: plan.agentName };
    const begun = await this.deps.registrations.begin(agent, `nonce of ${launchId}`, this.nowEpochMs);
    if (begun === undefined) return;
    const runner = { name: runnerNameOf(testInstallationId, plan.agentName), labels: plan.join.labels };
    const made = await this.ci.register(plan.join.scope, runner);
    const at = this.nowEpochMs;
    await this.deps.registrations.complete(agent, `nonce of ${launchId}`, made.runner, at);
  }

  /** Lets a launch's agent stand by, as connect does when no job needs it. */
  async standBy({ launchId, plan }: LaunchRecord): Promise<void> {
    if (plan === undefined) return;
    await this.deps.registrations.standBy({ launchId, agentName: plan.agentName }, this.nowEpochMs);
  }

  /** Does what the sweep and clean-up do with agents whose process has exited. */
  async sweep(): Promise<void> {
    for (const { launchId, runner } of await this.launches()) {
      if (runner === undefined || this.ci.runners.has(runner.id)) continue;
      const exited = { outcome: 'terminated', code: 'Terminated', message: 'exited', by: 'the agent exited' } as const;
      await this.deps.launches.end(launchId, { ...exited, atEpochMs: this.nowEpochMs });
    }
    const cleaning = await this.deps.launches.list({ statuses: ['cleaning'], limit: 1000 });
    for (const { launchId, runner, deregisteredAtEpochMs } of cleaning?.launches ?? []) {
      if (runner !== undefined && deregisteredAtEpochMs === undefined && this.ci.runners.has(runner.id)) {
        this.retirements.push({ launchId, reason: 'over', by: 'clean-up', actor: { kind: 'davit', name: 'clean-up' } });
      }
      await this.deps.launches.markCleaned(launchId, this.nowEpochMs);
    }
  }
}
