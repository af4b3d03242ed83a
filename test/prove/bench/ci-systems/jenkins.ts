import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sign } from '@octokit/webhooks-methods';
import type { HookTarget } from '../../../support/gitlab/start-fake-gitlab.ts';
import { startFakeJenkins } from '../../../support/jenkins/start-fake-jenkins.ts';
import type { CiSystemKind } from './ci-system.ts';
import { standInOf, startAgent, untilConnected } from './start-agent.ts';

const agentName = 'idle';
const label = 'linux';

/** Jenkins, with one inbound agent for all jobs. */
export const jenkins: CiSystemKind = {
  name: 'Jenkins',
  provider: 'jenkins',
  news: ['polled', 'told'],
  labels: [label],
  agents: standInOf('jenkins', 'jenkins-agent.ts', 'TEST_JENKINS_AGENT'),
  start: async ({ directory, environment, resources }) => {
    const server = await startFakeJenkins();
    const { state, url, user } = server;
    resources.defer(() => server.stop());

    async function startOwn(): Promise<void> {
      const secretFile = join(directory, 'jenkins-secret');
      await writeFile(secretFile, server.secretOf(agentName));
      state.addNode({
        name: agentName,
        labels: [label],
        description: '',
        remoteFs: directory,
        mode: 'EXCLUSIVE',
        webSocket: true,
        executors: [undefined],
      });
      const how = { JENKINS_URL: url, JENKINS_AGENT_NAME: agentName, JENKINS_SECRET: `@${secretFile}` };
      resources.use(startAgent(['jenkins-agent'], { ...environment, ...how }));
    }

    return {
      entry: { url, user: user.name },
      token: user.apiToken,
      queue: (hook) => {
        const item = server.enqueueFreestyle({ name: 'app', label });
        if (hook !== undefined) pollNow(hook).catch((error: unknown) => console.error(error));
        return {
          queuedAtEpochMs: item.inQueueSinceEpochMs,
          startedAtEpochMs: () => item.build?.startedAtEpochMs,
          isOver: () => {
            const { result, builtOn = '' } = item.build ?? {};
            // davit removes an agent's node after the job: until then, it would take the next one.
            return result !== undefined && (builtOn === agentName || !state.nodes.has(builtOn));
          },
        };
      },
      untilAgentIdle: async () => {
        if (!state.nodes.has(agentName)) await startOwn();
        await untilConnected(() => state.nodes.get(agentName)?.channel !== undefined);
      },
    };
  },
};

/** Sends what a script or a plugin of a Jenkins would send. */
async function pollNow({ url, secret }: HookTarget): Promise<void> {
  const body = '{}';
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': await sign(secret, body) };
  await fetch(url, { method: 'POST', headers, body });
}
