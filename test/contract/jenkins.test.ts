import { connectInboundAgent } from '../support/jenkins/inbound-agent.ts';
import { type FakeJenkins, startFakeJenkins } from '../support/jenkins/start-fake-jenkins.ts';
import { jenkinsContract } from './jenkins.contract.ts';

let started: FakeJenkins | undefined;

afterAll(async () => {
  await started?.stop();
});

jenkinsContract('a fake Jenkins', async () => {
  const jenkins = await startFakeJenkins();
  started = jenkins;
  const { url, user, state } = jenkins;
  return {
    url,
    userName: user.name,
    apiToken: user.apiToken,
    differences: [],
    enqueue: async (job) => jenkins.enqueueFreestyle(job).id,
    lastBuildOf: async (job) => {
      const build = state.builds.findLast((each) => each.job === job);
      return build && { result: build.result ?? null, builtOn: build.builtOn ?? '' };
    },
    connectAgent: async (node) => {
      const agent = await connectInboundAgent({ url, ...node });
      return { kill: async () => agent.kill() };
    },
    restart: () => jenkins.restart(),
  };
});
