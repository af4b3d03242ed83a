import { everyOwner } from '../../core/ci/ci-scope.ts';
import type { CiSystem, Registration } from '../../ports/ci-system.ts';

/** A CI system in which davit chooses an agent's job, and the test's own actions in it. */
export interface PinnedWorld {
  /** davit's adapter, with a credential that has all rights. */
  ci: CiSystem;
  /** The same adapter with an unknown credential. */
  stranger: CiSystem;
  /** Queues a job. @returns the system's own id of it */
  queue(): string;
  /** Joins as the registered agent, takes its job and begins it. @returns whether it got the job */
  take(registration: Registration, jobId: string): boolean;
  /** Ends the job of the agent. */
  finish(registration: Registration, jobId: string): void;
  cancel(jobId: string): void;
  /** Answers no request until it is resumed. */
  fail(): void;
  resume(): void;
  stop(): Promise<void>;
}

const scope = { organization: everyOwner };
const repository = { owner: 'acme', name: 'app' };

/** davit's requirements for any CI system in which it chooses the job of an agent. */
export function pinnedCiSystemContract(name: string, start: () => Promise<PinnedWorld>): void {
  describe(`${name}, by its adapter`, () => {
    let world: PinnedWorld;
    let ci: CiSystem;
    beforeEach(async () => {
      world = await start();
      ci = world.ci;
    });
    afterEach(() => world.stop());

    const register = (jobId: string) =>
      ci.register(scope, { name: 'davit-0a1b2c3d-x', labels: ['queue=default', 'linux'], pinnedTo: jobId });
    const stateOf = async (jobId: string, { runner: own }: Registration) =>
      (await ci.getJob(repository, jobId, { attempt: 1, own }))?.status;

    test('a queued job is listed by the id that pins an agent to it', async () => {
      const jobId = world.queue();

      const jobs = await ci.listJobs(scope, ['queued']);

      expect(jobs).toMatchObject([{ jobId, attempt: 1, status: 'queued', repository }]);
      expect(jobs?.[0]).not.toHaveProperty('runner');
    });

    test('an agent is registered for one job, and for no job not at all', async () => {
      const [jobId, other] = [world.queue(), world.queue()];

      const registration = await register(jobId);

      expect(registration.runner).toEqual({ id: expect.any(Number), name: 'davit-0a1b2c3d-x' });
      expect(world.take(registration, other)).toBe(false);
      expect(world.take(registration, jobId)).toBe(true);
      await expect(ci.register(scope, { name: 'davit-0a1b2c3d-y', labels: ['linux'] })).rejects.toMatchObject({
        name: 'TerminalError',
        code: 'CiRefused',
      });
    });

    test('an agent that has its job is busy, and is there until the job is over', async () => {
      const jobId = world.queue();
      const registration = await register(jobId);
      const { id } = registration.runner;
      world.take(registration, jobId);

      await ci.stopAssigning(scope, id);
      const during = {
        removal: await ci.removeIfIdle(scope, id, jobId),
        runner: (await ci.getRunner(scope, id, jobId))?.id,
        status: await stateOf(jobId, registration),
        runnerStatus: await ci.pinned?.runnerStatus?.(scope, id),
      };
      world.finish(registration, jobId);

      expect(during).toMatchObject({ removal: 'busy', runner: id, status: 'in_progress' });
      expect(during.runnerStatus).not.toBe('idle');
      expect(await ci.removeIfIdle(scope, id, jobId)).toBe('gone');
      expect(await ci.getRunner(scope, id, jobId)).toBeUndefined();
      expect(await stateOf(jobId, registration)).toBe('completed');
    });

    test('an agent whose job waits is removed, and its job waits on', async () => {
      const jobId = world.queue();
      const registration = await register(jobId);
      const { id } = registration.runner;

      await ci.stopAssigning(scope, id);

      expect(await ci.removeIfIdle(scope, id, jobId)).toBe('removed');
      expect(await stateOf(jobId, registration)).toBe('queued');
    });

    test('a job that is cancelled before its agent has it is over, and gives no agent the job', async () => {
      const jobId = world.queue();
      const registration = await register(jobId);
      world.cancel(jobId);

      expect(await stateOf(jobId, registration)).toBe('completed');
      expect(world.take(registration, jobId)).toBe(false);
      expect(await ci.listJobs(scope, ['queued', 'in_progress'])).toEqual([]);
    });

    test('an unknown credential is refused, and a system that does not answer is not', async () => {
      const refused = { name: 'TerminalError', code: 'CiRefused', detail: expect.stringContaining(': 401') };
      await expect(world.stranger.listJobs(scope, ['queued'])).rejects.toMatchObject(refused);

      world.fail();
      const away = { name: 'TransientError', code: 'CiUnavailable' };
      await expect(ci.listJobs(scope, ['queued'])).rejects.toMatchObject(away);
      await expect(register(world.queue())).rejects.toMatchObject(away);

      world.resume();
      expect(await ci.listJobs(scope, ['queued'])).toHaveLength(1);
    });
  });
}
