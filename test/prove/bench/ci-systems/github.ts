import { fileURLToPath } from 'node:url';
import { agentCommand } from '../../../../local/agent/image.ts';
import { deliveredJob } from '../../../../local/github/github-hook.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import { jitConfigOf } from '../../../../local/github/jit-config.ts';
import { startGithub } from '../../../../local/github/start-github.ts';
import type { CiSystemKind } from './ci-system.ts';
import { startAgent, untilConnected } from './start-agent.ts';

const runner = fileURLToPath(new URL('./github-runner.ts', import.meta.url));
const organization = 'acme';
const labels = ['linux'];
const onFailure = (error: unknown) => console.error(error);

/** GitHub. A runner is for one job, so each job finds a new one. */
export const github: CiSystemKind = {
  name: 'GitHub',
  provider: 'github',
  news: ['told'],
  labels,
  agents: { environment: { AGENT_PORT: '8811' }, command: agentCommand },
  start: async ({ environment, resources }) => {
    const startedAtEpochMs = new Map<number, number>();
    let webhooks: GithubWebhooks | undefined;
    const server = await startGithub({
      organizations: [organization],
      onJob: (job, action) => {
        if (action === 'in_progress') startedAtEpochMs.set(job.id, Date.now());
        webhooks?.deliver(deliveredJob(server, job), action).catch(onFailure);
      },
      onFailure,
    });
    const { state, url, token } = server;
    const asked = new Set<string>();
    server.beforeAnswer = async (_method, path) => void asked.add(path);
    resources.defer(() => server.stop());
    return {
      entry: { url },
      token,
      queue: (hook) => {
        webhooks = hook && createGithubWebhooks(hook.url, hook.secret);
        const queuedAtEpochMs = Date.now();
        const [job] = state.queueRun(organization, 'app', [{ name: 'build', labels, steps: ['true'] }]);
        return {
          queuedAtEpochMs,
          startedAtEpochMs: () => startedAtEpochMs.get(job.id),
          isOver: () => job.status === 'completed',
        };
      },
      untilAgentIdle: async () => {
        const name = `idle-${state.nextId()}`;
        const made = state.register({ name, labels, groupId: 1, scope: organization });
        if (made === undefined) throw new Error(`there is a runner ${name}`);
        const registered = { ACTIONS_RUNNER_INPUT_JITCONFIG: jitConfigOf(made, url) };
        resources.use(startAgent([process.execPath, runner], { ...environment, ...registered }));
        await untilConnected(() => asked.has(`/_runner/${made.id}/${made.secret}/job`));
      },
    };
  },
};
