import { jenkinsContract } from '../../../contract/jenkins.contract.ts';
import { type Hudson, startHudson } from '../hudson/start-hudson.ts';

let started: Hudson | undefined;

afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
});

jenkinsContract("a real Hudson behind the tests' proxy", async () => {
  const hudson = await startHudson();
  started = hudson;
  const { url, user } = hudson;
  return {
    url,
    userName: user.name,
    apiToken: user.apiToken,
    differences: ['plain quotes', 'no word for a label without nodes'],
    enqueue: (job) => hudson.enqueueFreestyle(job),
    lastBuildOf: (job) => hudson.lastBuildOf(job),
    connectAgent: ({ name }) => hudson.startAgent(name),
    restart: () => hudson.restart(),
  };
});
