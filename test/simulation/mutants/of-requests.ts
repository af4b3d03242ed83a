import { launchesWith, onlyIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** Defects of the promises to CI servers. */
export const requestMutants: readonly Mutant[] = [
  {
    name: 'completed before queued leaves no tombstone',
    seed: 4,
    kinds: ['webhookReordered'],
    breaks: '6:',
    mutation: {
      deps: (deps) => ({
        ...deps,
        launches: launchesWith(deps.launches, {
          request: async (record) =>
            record.plan === undefined ? { created: true, record } : deps.launches.request(record),
        }),
      }),
    },
  },
  {
    name: 'a launch is named by its delivery and not by its job',
    seed: 1,
    kinds: ['webhookTwice'],
    breaks: '4:',
    mutation: {
      logic: (davit) => ({
        ...davit,
        answerQueued: (deps, system, event) =>
          davit.answerQueued(deps, system, {
            ...event,
            job: { ...event.job, attempt: (deps.nowEpochMs() % 1000) + 2 },
          }),
      }),
    },
  },
  {
    name: 'a webhook is accepted although its execution was not started',
    seed: 13,
    kinds: ['storeThrottled', 'crashBeforeWrite'],
    breaks: 'progress: a launch',
    mutation: {
      deps: (deps) => ({
        ...deps,
        executions: {
          start: async () => true,
          stop: (launchId, cause) => deps.executions.stop(launchId, cause),
          status: (launchId) => deps.executions.status(launchId),
          running: () => deps.executions.running(),
        },
      }),
    },
  },
  {
    name: 'completed ends the launch of another job',
    seed: 4,
    kinds: ['jobCancelled'],
    breaks: '9:',
    mutation: {
      logic: (davit) => ({
        ...davit,
        answerCompleted: (deps, system, event) =>
          davit.answerCompleted(deps, system, { ...event, job: { ...event.job, id: event.job.id === 1 ? 2 : 1 } }),
      }),
    },
  },
  {
    name: 'completed is accepted and ends nothing',
    seed: 1,
    kinds: ['jobCancelled'],
    breaks: '6:',
    mutation: onlyIn(['webhook'], (deps) => ({
      launches: launchesWith(deps.launches, { end: (launchId) => deps.launches.get(launchId) }),
    })),
  },
  {
    name: "an agent is let in without a word in its launch's record",
    seed: 1,
    kinds: ['agentTwice'],
    breaks: 'progress: a launch',
    mutation: onlyIn(['connect'], (deps) => ({
      launches: launchesWith(deps.launches, {
        markConnected: async ({ launchId }) => (await deps.launches.get(launchId))?.plan,
      }),
    })),
  },
];
