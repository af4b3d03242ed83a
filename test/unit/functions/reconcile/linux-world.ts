import type { Profile } from '../../../../core/config/config.ts';
import type { Ending, LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { CiWorld } from '../../../support/ci-world.ts';
import type { FakeJob } from '../../../support/fake-ci.ts';
import { makeProfile } from '../../../support/make-profile.ts';

/** What reconciling is tested in: a CI system with the profile `linux`, and what its jobs and agents do. */
export class LinuxWorld extends CiWorld {
  /** Makes a world in which davit knows the repository acme/app. @param given replaces fields of the profile */
  static async open(given: Partial<Profile> = {}, others: readonly Profile[] = []): Promise<LinuxWorld> {
    const world = new LinuxWorld([linuxProfile(given), ...others]);
    await world.know('app');
    return world;
  }

  /** Notes a repository, as an event of a job there does. */
  async know(name: string, owner = 'acme'): Promise<void> {
    const place = { repository: { owner, name }, organization: owner };
    await this.deps.jobs.noteRepository('gitea', place, this.nowEpochMs);
  }

  /** Queues a job, now, whose webhook is lost. */
  queueUnseen(given: Partial<FakeJob> = {}): FakeJob {
    return this.ci.queue({ labels: ['linux'], queuedAtEpochMs: this.nowEpochMs, ...given });
  }

  /** Queues a job, now, whose webhook arrives. */
  async queue(given: Partial<FakeJob> = {}): Promise<FakeJob> {
    const job = this.queueUnseen(given);
    await this.deliver('queued', job);
    return job;
  }

  /** Queues a job whose agent connects. */
  async launchFor(given: Partial<FakeJob> = {}): Promise<{ job: FakeJob; launchId: string; runnerId: number }> {
    const job = await this.queue(given);
    const launchId = `gitea-7-${job.id}-1`;
    const launch = await this.deps.launches.get(launchId);
    if (launch !== undefined) await this.connect(launch);
    return { job, launchId, runnerId: (await this.deps.launches.get(launchId))?.runner?.id ?? 0 };
  }

  /** Queues a job, and lets the agent of its launch run the oldest one. */
  async run(given: Partial<FakeJob> = {}): Promise<{ job: FakeJob; launchId: string; runnerId: number }> {
    const launched = await this.launchFor(given);
    await this.start(launched.runnerId);
    return launched;
  }

  /** Lets an agent run the oldest job that it may take, whose webhook arrives. */
  async start(runnerId = 0): Promise<FakeJob> {
    const job = this.ci.assign(runnerId);
    if (job === undefined) throw new Error('the agent gets no job');
    await this.deliver('in_progress', job);
    return job;
  }

  /** Connects the agents of all launches. @returns the live launches, the first one first */
  async connectAll(): Promise<LaunchRecord[]> {
    for (const launch of await this.launches()) if (launch.status === 'launching') await this.connect(launch);
    return (await this.launches()).toSorted((one, other) => one.requestedAtEpochMs - other.requestedAtEpochMs);
  }

  /** Ends a launch, now. */
  async end(launchId = '', ending: Omit<Ending, 'atEpochMs'> = noImage): Promise<void> {
    await this.deps.launches.end(launchId, { ...ending, atEpochMs: this.nowEpochMs });
  }

  /** Reconciles once in each of so many minutes. @returns the repairs */
  async repairsIn(minutes: number, afterMs?: number): Promise<string[]> {
    const repairs: string[] = [];
    for (let minute = 0; minute < minutes; minute += 1)
      repairs.push(...(await this.nextRound(afterMs)).repairs.map(({ repair }) => repair));
    return repairs;
  }

  /** The requests to the CI system so far that begin like this. */
  asked(what: string): string[] {
    return this.ci.asked.filter((each) => each.startsWith(what));
  }
}

/** The profile of such a world. */
export function linuxProfile(given: Partial<Profile> = {}): Profile {
  return makeProfile({ name: 'linux', runner: 'gitea', labels: ['linux'], idleSeconds: 300, ...given });
}

/** The end of a launch that fails. */
export const noImage = {
  outcome: 'failed',
  code: 'ImagePullFailed',
  message: 'no image',
  by: 'the state machine',
} as const;

/** The end of a launch that somebody ends. */
export const byPerson = {
  outcome: 'terminated',
  code: 'Terminated',
  message: 'ended',
  by: 'DELETE /launches',
} as const;
