import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOver } from '../../../support/gitlab/gitlab-state.ts';
import { startFakeGitlab } from '../../../support/gitlab/start-fake-gitlab.ts';
import type { CiSystemKind } from './ci-system.ts';
import { standInOf, startAgent, untilConnected } from './start-agent.ts';

const group = 'acme';
const project = `${group}/app`;
const tags = ['linux'];
/** More jobs than there are, and longer than they take, in seconds. */
const unlimited = '100000';

/** GitLab, with one runner for all jobs. */
export const gitlab: CiSystemKind = {
  name: 'GitLab',
  provider: 'gitlab',
  news: ['told'],
  labels: tags,
  agents: standInOf('gitlab', 'gitlab-runner.ts', 'TEST_GITLAB_RUNNER'),
  start: async ({ directory, environment, resources }) => {
    const server = await startFakeGitlab();
    const { state, url } = server;
    state.addProject(project);
    resources.defer(() => server.stop());

    async function startOwn(): Promise<void> {
      const config = join(directory, 'gitlab-runner.toml');
      const { token } = state.addRunner({
        type: 'group_type',
        place: group,
        description: 'idle',
        tags,
        paused: false,
        maintenanceNote: null,
        runUntagged: false,
      });
      const keys = { name: 'idle', url, token, executor: 'shell' };
      const lines = Object.entries(keys).map(([name, value]) => `${name} = "${value}"\n`);
      await writeFile(config, `[[runners]]\n${lines.join('')}`);
      const single = ['gitlab-runner', 'run-single', '--config', config, '--runner', 'idle'];
      const limits = ['--max-builds', unlimited, '--wait-timeout', unlimited];
      resources.use(startAgent([...single, ...limits], environment));
    }

    return {
      entry: { url, group },
      token: server.token,
      queue: (hook) => {
        server.hook = hook;
        const job = state.queue({ project, name: 'build', tags });
        return {
          queuedAtEpochMs: job.createdAtEpochMs,
          startedAtEpochMs: () => job.startedAtEpochMs,
          isOver: () => isOver(job),
        };
      },
      untilAgentIdle: async () => {
        if (state.runners.size === 0) await startOwn();
        await untilConnected(() => server.exchanges.some(({ path }) => path === '/jobs/request'));
      },
    };
  },
};
