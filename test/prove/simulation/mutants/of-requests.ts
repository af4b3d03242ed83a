import { jobEnding } from '../../../../core/job/job-ending.ts';
import type { SeenJob } from '../../../../core/job/job-record.ts';
import { AgentName, launchIdOfAgent } from '../../../../core/launch/names.ts';
import type { JobDeps } from '../../../../logic/jobs/job-deps.ts';
import { endLaunch } from '../../../../logic/lifecycle/end-launch.ts';
import { withCiIn, withLogic, withPort, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

/** Ends the launch whose agent has the name of the job's runner. */
async function endNamedAgent(deps: JobDeps, { ciSystem, runner, conclusion }: SeenJob): Promise<void> {
  const agent = AgentName.safeParse(runner?.name);
  const ending = jobEnding(ciSystem, conclusion, deps.nowEpochMs());
  if (agent.success) await endLaunch(deps, launchIdOfAgent(agent.data), ending);
}

/** Defects of the promises to CI servers. */
export const requestMutants: Mutants = {
  "a completed job ends the launch of the agent that its runner's name says": {
    world: { seed: 1, kinds: ['strangersRunner'], breaks: '15:' },
    mutation: withLogic('answerCompleted', (answerCompleted) => async (deps, system, event) => {
      await endNamedAgent(deps, event);
      return answerCompleted(deps, system, event);
    }),
  },
  "where davit acts, a completed job ends the launch of the agent that its runner's name says": {
    world: { seed: 1, queued: 6, kinds: ['strangersRunner'], breaks: '15:' },
    mutation: withLogic('answerRegisteredJob', (answerRegisteredJob) => async (deps, system, event) => {
      if (event.status === 'completed') await endNamedAgent(deps, event);
      return answerRegisteredJob(deps, system, event);
    }),
  },
  "a job that ran on another runner ends its own launch's agent": {
    world: { seed: 1, kinds: ['ranElsewhere'], breaks: '15:' },
    mutation: {
      ...withLogic('answerCompleted', (answerCompleted) => (deps, system, event) => {
        const { runner: _runner, ...job } = event;
        return answerCompleted(deps, system, job);
      }),
      ...withPort('launches', (launches) => ({ end: (launchId, ending) => launches.end(launchId, ending) })),
    },
  },
  "a job of another CI system is bound by its runner's id": {
    world: { seed: 1, queued: 6, kinds: ['otherCiEvent'], breaks: '15:' },
    mutation: withPort('registrations', (registrations, { world: { queue } }) => ({
      bind: (launchId, runner, job, atEpochMs) =>
        registrations.bind(launchId, { ...runner, ciSystem: queue.system.name }, job, atEpochMs),
    })),
  },
  'a runner that is gone counts as removed by davit': {
    world: { seed: 7, queued: 6, kinds: ['jobAsksAgain', 'ciEventLost'], breaks: '15: no agent' },
    mutation: withCiIn(['register-runner'], (ci) => ({
      removeIfIdle: async (scope, runnerId) =>
        (await ci.removeIfIdle(scope, runnerId)) === 'busy' ? 'busy' : 'removed',
    })),
  },
  'completed before queued leaves no tombstone': {
    world: { seed: 4, kinds: ['webhookReordered'], breaks: '6:' },
    mutation: withPort('launches', (launches) => ({
      request: async (record) => (record.plan === undefined ? { created: true, record } : launches.request(record)),
    })),
  },
  'a launch is named by its delivery and not by its job': {
    world: { seed: 1, kinds: ['webhookTwice'], breaks: '4:' },
    mutation: withLogic(
      'answerQueued',
      (answerQueued) => (deps, system, event) =>
        answerQueued(deps, system, { ...event, attempt: (deps.nowEpochMs() % 1000) + 2 }),
    ),
  },
  'a webhook is accepted although its execution was not started': {
    world: { seed: 13, kinds: ['storeThrottled', 'crashBeforeWrite'], breaks: 'progress: a launch' },
    mutation: withPort('executions', () => ({ start: async () => true })),
  },
  'completed ends the launch of another job': {
    world: { seed: 5, kinds: ['jobCancelled'], breaks: '3: a launch' },
    mutation: withLogic(
      'answerCompleted',
      (answerCompleted) => (deps, system, event) =>
        answerCompleted(deps, system, { ...event, jobId: event.jobId === 1 ? 2 : 1 }),
    ),
  },
  'completed is accepted and ends nothing': {
    world: { seed: 1, kinds: ['jobCancelled'], breaks: '6:' },
    mutation: withPortIn(['webhook'], 'launches', (launches) => ({ end: (launchId) => launches.get(launchId) })),
  },
  "an agent is let in without a word in its launch's record": {
    world: { seed: 1, kinds: ['agentTwice'], breaks: 'progress: a launch' },
    mutation: withPortIn(['connect'], 'launches', (launches) => ({
      markConnected: async ({ launchId }) => (await launches.get(launchId))?.plan,
    })),
  },
};
