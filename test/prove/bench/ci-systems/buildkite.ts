import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signedHook, startFakeBuildkite } from '../../../support/buildkite/start-fake-buildkite.ts';
import type { HookTarget } from '../../../support/gitlab/start-fake-gitlab.ts';
import type { CiSystemKind } from './ci-system.ts';
import { standInOf, startAgent, untilConnected } from './start-agent.ts';

const rule = 'os=linux';

/** Buildkite, with one agent for all jobs. */
export const buildkite: CiSystemKind = {
  name: 'Buildkite',
  provider: 'buildkite',
  news: ['polled', 'told'],
  labels: ['queue=default', rule],
  agents: standInOf('buildkite', 'buildkite-agent.ts', 'TEST_BUILDKITE_AGENT'),
  start: async ({ directory, environment, resources }) => {
    const server = await startFakeBuildkite();
    const { state, url, queue, token } = server;
    resources.defer(() => server.stop());

    async function startOwn(): Promise<void> {
      const config = join(directory, 'buildkite-agent.cfg');
      await writeFile(config, `token="${token}"\n`);
      const how = {
        BUILDKITE_AGENT_ENDPOINT: url,
        BUILDKITE_AGENT_NAME: 'idle',
        BUILDKITE_AGENT_TAGS: `queue=${queue},${rule}`,
      };
      resources.use(startAgent(['buildkite-agent', 'start', '--config', config], { ...environment, ...how }));
    }

    return {
      entry: { url, organization: 'acme', queue },
      token,
      queue: (hook) => {
        const job = state.enqueue({ rules: [rule] });
        if (hook !== undefined) tell(hook).catch((error: unknown) => console.error(error));
        return {
          queuedAtEpochMs: job.scheduledAtEpochMs,
          startedAtEpochMs: () => job.startedAtEpochMs,
          isOver: () => job.state === 'finished',
        };
      },
      untilAgentIdle: async () => {
        if (state.agents.size === 0) await startOwn();
        await untilConnected(() => server.exchanges.some(({ path }) => path === '/ping'));
      },
    };
  },
};

async function tell({ url, secret }: HookTarget): Promise<void> {
  const event = 'job.scheduled';
  const body = JSON.stringify({ event });
  await fetch(url, { method: 'POST', headers: signedHook(secret, event, body), body });
}
