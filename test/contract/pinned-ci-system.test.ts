import { createBuildkite } from '../../ci/buildkite/create-buildkite.ts';
import { createForgejo } from '../../ci/forgejo/create-forgejo.ts';
import type { Registration } from '../../ports/ci-system.ts';
import type { FakeAgent } from '../support/buildkite/buildkite-state.ts';
import { startFakeBuildkite } from '../support/buildkite/start-fake-buildkite.ts';
import { startFakeForgejo } from '../support/forgejo/start-fake-forgejo.ts';
import { testInstallationId } from '../support/make-launch-deps.ts';
import { pinnedCiSystemContract } from './pinned-ci-system.contract.ts';

pinnedCiSystemContract('a fake Buildkite', async () => {
  const buildkite = await startFakeBuildkite();
  const { state, url, queue } = buildkite;
  const connect = (token: string) => {
    const at = { name: 'buildkite', url, queue, organization: 'acme', timeoutMs: 10_000 };
    const readInstallationId = async () => testInstallationId;
    return createBuildkite({ ...at, readInstallationId, readToken: async () => token });
  };
  const agents = new Map<string, FakeAgent | undefined>();
  const agentOf = ({ environment }: Registration) => {
    const token = environment['BUILDKITE_AGENT_TOKEN'] ?? '';
    if (!agents.has(token)) agents.set(token, state.register(token, { name: 'agent', tags: [] }));
    return agents.get(token);
  };
  const jobOf = (jobId: string) => state.jobs.get(jobId) ?? state.enqueue();
  return {
    ci: connect(buildkite.token),
    stranger: connect('wrong'),
    queue: () => state.enqueue().id,
    take: (registration, jobId) => {
      const agent = agentOf(registration);
      return agent !== undefined && state.acquire(agent, jobId) !== undefined;
    },
    finish: (_registration, jobId) => void state.finish(jobOf(jobId), '0'),
    cancel: (jobId) => state.cancel(jobOf(jobId)),
    fail: () => {
      buildkite.isUp = false;
    },
    resume: () => {
      buildkite.isUp = true;
    },
    stop: () => buildkite.stop(),
  };
});

describe.each([15, 16] as const)('version %d:', (version) => {
  pinnedCiSystemContract('a fake Forgejo', async () => {
    const forgejo = await startFakeForgejo({ version });
    const { state, url, scope } = forgejo;
    const connect = (token: string) =>
      createForgejo({ name: 'forgejo', url, scope, timeoutMs: 10_000, readToken: async () => token });
    const jobOf = (handle: string) => [...state.jobs.values()].find((job) => job.handle === handle) ?? state.enqueue();
    return {
      ci: connect(forgejo.token),
      stranger: connect('wrong'),
      queue: () => state.enqueue().handle,
      take: ({ runner: { id }, environment }, jobId) => {
        const runner = state.runners.get(id);
        if (runner === undefined || environment['FORGEJO_JOB_HANDLE'] !== jobId) return false;
        runner.labels = (environment['FORGEJO_RUNNER_LABELS'] ?? '').split(',');
        const job = state.take(runner, jobId);
        state.runnerBy(runner.uuid, runner.token);
        if (job !== undefined) state.noteActive(runner);
        return job !== undefined;
      },
      finish: ({ runner: { id } }) => {
        const runner = state.runners.get(id);
        if (runner !== undefined) state.finish(runner, 'success');
      },
      cancel: (jobId) => state.cancel(jobOf(jobId)),
      fail: () => {
        forgejo.isUp = false;
      },
      resume: () => {
        forgejo.isUp = true;
      },
      stop: () => forgejo.stop(),
    };
  });
});
