import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFakeForgejo } from '../../../support/forgejo/start-fake-forgejo.ts';
import type { CiSystemKind } from './ci-system.ts';
import { standInOf, startAgent, untilConnected } from './start-agent.ts';

const label = 'linux';

/** Forgejo. The stand-in for its runner runs one job, so each job finds a new one. */
export const forgejo: CiSystemKind = {
  name: 'Forgejo',
  provider: 'forgejo',
  news: ['polled'],
  labels: [label],
  agents: standInOf('forgejo', 'forgejo-runner.ts', 'TEST_FORGEJO_RUNNER'),
  start: async ({ directory, environment, resources }) => {
    const server = await startFakeForgejo();
    const { state, url, scope, token } = server;
    resources.defer(() => server.stop());
    return {
      entry: { url, scope },
      token,
      queue: () => {
        const queuedAtEpochMs = Date.now();
        const job = state.enqueue({ runsOn: [label] });
        return {
          queuedAtEpochMs,
          startedAtEpochMs: () => job.startedAtEpochMs,
          isOver: () => job.status === 'success',
        };
      },
      untilAgentIdle: async () => {
        const runner = state.register('idle', true);
        const tokenFile = join(directory, 'forgejo-token');
        await writeFile(tokenFile, runner.token);
        const as = ['--url', url, '--uuid', runner.uuid, '--token-url', `file:${tokenFile}`];
        const command = ['forgejo-runner', 'one-job', '--wait', ...as, '--label', `${label}:host`];
        resources.use(startAgent(command, environment));
        await untilConnected(() => runner.labels.length > 0);
      },
    };
  },
};
