import type { Retirement } from '../../../core/invoked-events.ts';
import { type AttributedEnding, agentExited, isLive } from '../../../core/launch/launch-record.ts';
import type { LaunchId } from '../../../core/launch/names.ts';
import { runnerNameOf } from '../../../core/launch/runner-names.ts';
import { type RetireRunnerDeps, retireRunner } from '../../../functions/retire-runner/retire-runner.ts';
import type { GithubRunner } from '../../../local/github/github-state.ts';
import { endLaunch } from '../../../logic/lifecycle/end-launch.ts';
import type { Launches } from '../../../ports/launches.ts';
import type { Registrations } from '../../../ports/registrations.ts';
import { testInstallationId } from '../../support/make-launch-deps.ts';
import { type OrganisationGithub, organization, type Surroundings } from './github-of-organisation.ts';

/** How often Lambda repeats a retirement that failed, and after how long, in milliseconds. */
const retries = { most: 2, afterMs: 60_000 };

/** What happens to launches outside of the functions under test: agents connect, exit, and are cleaned up. */
export class Agents {
  /** The launches whose clean-up ended an agent while it ran a job. */
  readonly killed: string[] = [];
  readonly #runnerOf = new Map<string, GithubRunner>();
  readonly #around: Surroundings;
  readonly #github: OrganisationGithub;
  readonly #launches: Launches;
  readonly #registrations: Registrations;
  readonly #depsOf: () => RetireRunnerDeps;

  constructor(
    around: Surroundings,
    github: OrganisationGithub,
    tables: { launches: Launches; registrations: Registrations },
    depsOf: () => RetireRunnerDeps,
  ) {
    this.#around = around;
    this.#github = github;
    this.#launches = tables.launches;
    this.#registrations = tables.registrations;
    this.#depsOf = depsOf;
    github.onEnd = ({ id }) => this.#exit(id);
  }

  /** A launch was requested: after a while its agent connects, or it fails. */
  requested(launchId: LaunchId): void {
    const { time, random, faults } = this.#around;
    const isFailing = faults.failsLaunch();
    time.after(random.between(20_000, 90_000), async () => {
      if (isFailing)
        await this.#end(launchId, {
          outcome: 'failed',
          code: 'PodFailed',
          message: 'it failed',
          by: 'the state machine',
        });
      else await this.#connect(launchId);
    });
  }

  /** A launch is over: its agent is deleted. */
  cleanUp(launchId: string): void {
    this.#around.time.after(5000, async () => {
      const agent = this.#runnerOf.get(launchId);
      this.#runnerOf.delete(launchId);
      if (agent !== undefined && this.#github.kill(agent) !== undefined) this.killed.push(launchId);
      const record = await this.#launches.get(launchId);
      if (record?.runner !== undefined && record.deregisteredAtEpochMs === undefined) {
        const actor = { kind: 'davit', name: 'clean-up' } as const;
        if (this.#github.state.runners.has(record.runner.id))
          this.retire({ launchId: record.launchId, reason: 'it is over', by: 'clean-up', actor });
      }
      await this.#launches.markCleaned(launchId, this.#around.time.nowEpochMs());
    });
  }

  retire(retirement: Retirement, failures = 0): void {
    const { time } = this.#around;
    time.after(failures === 0 ? 3000 : retries.afterMs, async () => {
      try {
        await retireRunner(this.#depsOf(), retirement);
      } catch {
        if (failures < retries.most) this.retire(retirement, failures + 1);
      }
    });
  }

  async #connect(launchId: LaunchId): Promise<void> {
    const { time } = this.#around;
    const record = await this.#launches.get(launchId);
    if (record?.plan === undefined || !isLive(record)) return;
    const agent = { launchId, agentName: record.plan.agentName };
    const now = time.nowEpochMs();
    if ((await this.#registrations.begin(agent, launchId, now)) === undefined) return;
    const name = runnerNameOf(testInstallationId, agent.agentName);
    const runner = this.#github.state.register({ name, labels: ['linux'], groupId: 1, scope: organization });
    if (runner === undefined) return;
    if ((await this.#registrations.complete(agent, launchId, runner, now)) === undefined) return;
    this.#runnerOf.set(launchId, runner);
    this.#github.connect(runner);
  }

  /** An agent's process ends with its job, and a sweep sees that. One that hangs goes on. */
  #exit(runnerId: number): void {
    const [launchId] = [...this.#runnerOf].find(([, { id }]) => id === runnerId) ?? [];
    if (launchId === undefined || this.#around.faults.hangsAgent()) return;
    this.#around.time.after(90_000, () =>
      this.#end(launchId, { outcome: 'terminated', code: 'Terminated', message: 'its agent exited', by: agentExited }),
    );
  }

  async #end(launchId: string, ending: Omit<AttributedEnding, 'actor' | 'atEpochMs'>): Promise<void> {
    const record = await this.#launches.get(launchId);
    if (record === undefined || !isLive(record)) return;
    const actor = { kind: 'davit', name: 'sweep' } as const;
    const atEpochMs = this.#around.time.nowEpochMs();
    await endLaunch(this.#depsOf(), record.launchId, { ...ending, actor, atEpochMs });
  }
}
