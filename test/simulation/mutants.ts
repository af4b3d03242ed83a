import { PendingError, TerminalError } from '../../functions/domain/errors.ts';
import type { PodView } from '../../functions/domain/kubernetes-objects.ts';
import type { LaunchRecord } from '../../functions/domain/launch-record.ts';
import { clusterWith, launchesWith, podsObserved } from './doubles.ts';
import { SimulatedObjects } from './world/cluster-port.ts';
import type { FaultKind } from './world/fault-kinds.ts';
import type { FaultPlan } from './world/faults.ts';
import type { Mutation } from './world/world.ts';

/** A davit that has one thing wrong, and how that comes to light. */
export interface Mutant {
  name: string;
  mutation: Mutation;
  /** A seed that brings it to light; when davit changes, it may be another soon after. */
  seed: number;
  /** The faults that bring it to light. */
  kinds: readonly FaultKind[];
  /** The invariant that it breaks: the beginning of its name. */
  breaks: string;
}

/** The faults that bring a mutant to light, often. */
export function planOf({ kinds }: Mutant): FaultPlan {
  return new Map(kinds.map((kind) => [kind, 0.5]));
}

const live = (record: LaunchRecord | undefined) => record && { ...record, status: 'launching' as const };

/** The check that shipped was the inverted one (JENKINS-68649). */
function heedPhase(pod: PodView | undefined): void {
  const runs = pod?.status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
  if (runs && pod?.status?.phase !== 'Running') throw new TerminalError('PodFailed', `phase ${pod?.status?.phase}`);
}

/** What could be wrong with davit, and was with those before it. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a Pod whose containers run while its phase says Pending is declared dead',
    seed: 1,
    kinds: ['statusLate', 'statusOdd'],
    breaks: '3:',
    mutation: { deps: (deps) => podsObserved(deps, heedPhase) },
  },
  {
    name: 'a nodePort that is not there yet is replaced by the container’s port',
    seed: 1,
    kinds: ['portLate', 'portMissing'],
    breaks: '1:',
    mutation: {
      logic: (davit) => ({
        ...davit,
        pollNodePort: async (deps, input) => {
          try {
            return await davit.pollNodePort(deps, input);
          } catch (error) {
            if (!(error instanceof PendingError)) throw error;
            return { port: input.agentPort, readAtEpochMs: deps.nowEpochMs() };
          }
        },
      }),
    },
  },
  {
    name: 'a token is written in two steps',
    seed: 4,
    kinds: ['agentEager', 'hostLate'],
    breaks: '2: no token',
    mutation: {
      deps: (deps, { tokens }, invocation) => ({
        ...deps,
        tokens: {
          get: (agentName) => deps.tokens.get(agentName),
          publish: async (token) => {
            await invocation.writes('store', () => tokens.put({ ...token, port: 0 }));
            await invocation.writes('store', () => tokens.put(token));
            return token;
          },
        },
      }),
    },
  },
  {
    name: 'a token is read from a replica that may be behind',
    seed: 5,
    kinds: ['agentTwice', 'agentEager'],
    breaks: '2: no token',
    mutation: {
      deps: (deps, { core, tokens }, invocation) => ({
        ...deps,
        tokens: {
          publish: (token) => deps.tokens.publish(token),
          get: (agentName) =>
            core.random.chance(0.9)
              ? deps.tokens.get(agentName)
              : invocation.reads('store', () => tokens.getStale(agentName)),
        },
      }),
    },
  },
  {
    name: 'an object is deleted by its name, whatever its uid',
    seed: 8,
    kinds: ['replacedByOthers', 'deletedByPeople', 'invokedTwice', 'imagePullFails'],
    breaks: '7:',
    mutation: {
      deps: (deps, _world, invocation) =>
        clusterWith(deps, (port) => ({
          delete: async (_namespace, name) => {
            if (!(port instanceof SimulatedObjects)) throw new TypeError('expected a simulated port');
            await invocation.writes('cluster', () => port.deleteByName(name));
          },
        })),
    },
  },
  {
    name: 'connected is toggled instead of set',
    seed: 1,
    kinds: ['agentTwice'],
    breaks: 'records:',
    mutation: {
      deps: (deps, { launches }, invocation) => ({
        ...deps,
        launches: launchesWith(deps.launches, {
          markConnected: async ({ launchId }, connectedAtEpochMs) => {
            const toggled = await invocation.writes('store', () =>
              launches.updateIf(
                launchId,
                ({ status }) => status === 'launching' || status === 'connected',
                (record) =>
                  record.status === 'connected'
                    ? { ...record, status: 'launching' }
                    : { ...record, status: 'connected', connectedAtEpochMs },
              ),
            );
            return toggled !== undefined;
          },
        }),
      }),
    },
  },
  {
    name: 'connected is set whatever the launch’s status',
    seed: 1,
    kinds: ['agentTwice', 'deletedByPeople'],
    breaks: 'records:',
    mutation: {
      deps: (deps, { launches }, invocation) => ({
        ...deps,
        launches: launchesWith(deps.launches, {
          markConnected: async ({ launchId }, connectedAtEpochMs) => {
            await invocation.writes('store', () =>
              launches.updateIf(
                launchId,
                () => true,
                (record) => ({ ...record, status: 'connected', connectedAtEpochMs }),
              ),
            );
            return true;
          },
        }),
      }),
    },
  },
  {
    name: 'an agent of an earlier generation is let in',
    seed: 5,
    kinds: ['nodeLost', 'agentSlow'],
    breaks: '4:',
    mutation: {
      deps: (deps) => ({
        ...deps,
        launches: launchesWith(deps.launches, {
          markConnected: async ({ launchId }, atEpochMs) => {
            const record = await deps.launches.get(launchId);
            const agentName = record?.plan?.agentName;
            return agentName !== undefined && deps.launches.markConnected({ launchId, agentName }, atEpochMs);
          },
        }),
      }),
    },
  },
  {
    name: 'completed before queued leaves no tombstone',
    seed: 1,
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
        answerQueued: (deps, event) =>
          davit.answerQueued(deps, {
            ...event,
            workflow_job: { ...event.workflow_job, run_attempt: (deps.nowEpochMs() % 1000) + 2 },
          }),
      }),
    },
  },
  {
    name: 'an object that exists is adopted without a look at its label',
    seed: 1,
    kinds: ['nameTaken'],
    breaks: '1:',
    mutation: {
      deps: (deps) =>
        clusterWith(deps, (port) => ({
          create: async (manifest) => {
            const { namespace, name } = manifest.metadata;
            return (await port.create(manifest)) ?? port.get(namespace, name);
          },
        })),
    },
  },
  {
    name: 'a deadline is counted from the latest attempt',
    seed: 29,
    kinds: ['hostMissing', 'agentNever'],
    breaks: 'progress: an execution',
    mutation: {
      logic: (davit) => ({
        ...davit,
        pollHostIP: (deps, input) =>
          davit.pollHostIP(deps, { ...input, pod: { ...input.pod, createdAtEpochMs: deps.nowEpochMs() } }),
      }),
    },
  },
  {
    name: 'a clean-up deletes before it marks the launch',
    seed: 5,
    kinds: ['stoppedByPeople', 'agentSlow'],
    breaks: 'connect:',
    mutation: {
      logic: (davit) => ({
        ...davit,
        cleanUp: (deps, input) => {
          let ending: Parameters<typeof deps.launches.end>[1] | undefined;
          const launches = {
            get: (launchId: string) => deps.launches.get(launchId),
            noteDiagnostics: async () => undefined,
            end: async (launchId: string, found: NonNullable<typeof ending>) => {
              ending = found;
              const record = await deps.launches.get(launchId);
              return record && { ...record, status: 'cleaning' as const, ending: record.ending ?? found };
            },
            markCleaned: async (launchId: string, atEpochMs: number) => {
              if (ending !== undefined) await deps.launches.end(launchId, ending);
              await deps.launches.markCleaned(launchId, atEpochMs);
            },
          };
          return davit.cleanUp({ ...deps, launches }, input);
        },
      }),
    },
  },
  {
    name: 'a launch is recorded as cleaned before its objects are gone',
    seed: 1,
    kinds: ['deletedByPeople'],
    breaks: '5:',
    mutation: {
      deps: (deps, _world, { functionName }) =>
        functionName !== 'clean-up'
          ? deps
          : clusterWith(deps, () => ({
              async *observe() {
                yield undefined;
              },
            })),
    },
  },
  {
    name: 'a step creates and does not look whether the launch is over',
    seed: 1,
    kinds: ['deletedByPeople', 'slowStart', 'invokedTwice'],
    breaks: '5:',
    mutation: {
      deps: (deps, _world, { functionName }) =>
        functionName === 'create-service' || functionName === 'create-pod'
          ? {
              ...deps,
              launches: launchesWith(deps.launches, {
                get: async (launchId) => live(await deps.launches.get(launchId)),
              }),
            }
          : deps,
    },
  },
  {
    name: 'an error quotes the manifest that was refused',
    seed: 5,
    kinds: ['clusterUnauthorized'],
    breaks: '8:',
    mutation: {
      deps: (deps) =>
        clusterWith(deps, (port) => ({
          create: async (manifest) => {
            try {
              return await port.create(manifest);
            } catch (error) {
              if (!(error instanceof TerminalError)) throw error;
              throw new TerminalError(error.code, JSON.stringify(manifest));
            }
          },
        })),
    },
  },
  {
    name: 'a webhook is accepted although its execution was not started',
    seed: 7,
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
];
