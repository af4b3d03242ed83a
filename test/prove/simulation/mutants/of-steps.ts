import { PendingError, RelaunchError, TerminalError } from '../../../../core/errors/errors.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { readFailure } from '../../../../logic/steps/read-failure.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { portWith } from '../../../support/port-with.ts';
import { agentErrorsWith, openingWith, podsObserved, withLogic, withPort } from './doubles.ts';
import type { Mutants } from './mutant.ts';

/** JENKINS-68649 shipped this check. */
function requirePhaseRunning(pod: PodView | undefined): void {
  const runs = pod?.status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
  if (runs && pod?.status?.phase !== 'Running') throw new TerminalError('PodFailed', `phase ${pod?.status?.phase}`);
}

const progress: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started', 'Failed', 'BackOff']);

/** Defects of a step, some of which earlier software had, of the verdicts on a Pod, and of the wait for its agent. */
export const stepMutants: Mutants = {
  'a launch fails whose Pod is deleted before its agent has connected': {
    world: { seed: 2, kinds: ['deletedByOthers'], breaks: '3: a launch ends only' },
    mutation: withLogic('relaunch', (relaunch) => async (deps, input) => {
      const { code, message } = readFailure(input.failure);
      if (code === 'DeletedExternally') throw new TerminalError(code, message);
      return relaunch(deps, input);
    }),
  },
  'a Pod whose containers run while its phase says Pending is declared dead': {
    world: { seed: 1, kinds: ['statusLate', 'statusOdd'], breaks: '3:' },
    mutation: { deps: (deps) => podsObserved(deps, requirePhaseRunning) },
  },
  "a nodePort that is not there yet is replaced by the container's port": {
    world: { seed: 1, kinds: ['portLate', 'portMissing'], breaks: '1:' },
    mutation: withLogic('pollNodePort', (pollNodePort) => async (deps, input) => {
      try {
        return await pollNodePort(deps, input);
      } catch (error) {
        if (!(error instanceof PendingError)) throw error;
        return { port: input.agentPort, readAtEpochMs: deps.nowEpochMs() };
      }
    }),
  },
  'a deadline is counted from the latest attempt': {
    world: { seed: 5, kinds: ['hostMissing', 'agentNever'], breaks: 'progress: an execution' },
    mutation: withLogic(
      'pollHostIP',
      (pollHostIP) => (deps, input) =>
        pollHostIP(deps, { ...input, pod: { ...input.pod, createdAtEpochMs: deps.nowEpochMs() } }),
    ),
  },
  'an old Event of a sandbox counts although the Pod has made progress since': {
    world: { seed: 1, kinds: ['sandboxSlow', 'imagePullLong'], breaks: '3:' },
    mutation: {
      deps: (deps) => {
        const withoutProgress = ({ reports }: Cluster): Partial<Cluster> => ({
          reports: {
            ...reports,
            events: async (namespace, pod) =>
              (await reports.events(namespace, pod)).filter(({ reason = '' }) => !progress.has(reason)),
          },
        });
        return { ...deps, ...openingWith(deps, withoutProgress) };
      },
    },
  },
  'a grace period goes on although the Pod was seen well': {
    world: { seed: 21, kinds: ['imagePullSlow', 'initSlow', 'hostLate'], breaks: '3:' },
    mutation: withPort('launches', (launches) => ({
      clearSignal: async () => undefined,
      noteSignal: (launchId, { container: _container, ...signal }, agentName) =>
        launches.noteSignal(launchId, signal, agentName),
    })),
  },
  'a grace that has passed fails a launch by what was seen, however long ago': {
    world: { seed: 564, kinds: ['imagePullSlow', 'stalled', 'hostLate'], breaks: '3:' },
    mutation: {
      deps: (deps) => {
        let seen: PodView | undefined;
        const watched = podsObserved(deps, (pod) => {
          seen = pod;
        });
        const asSeen = ({ pods }: Cluster) => ({
          pods: portWith(pods, { get: async (namespace, pod) => seen ?? (await pods.get(namespace, pod)) }),
        });
        return { ...watched, ...openingWith(watched, asSeen) };
      },
    },
  },
  'an agent that has not connected at the first look is given up': {
    world: { seed: 1, kinds: ['agentSlow', 'imagePullLong'], breaks: '3:' },
    mutation: agentErrorsWith((error) =>
      error instanceof PendingError ? new TerminalError('ConnectDeadlineExceeded', error.detail) : undefined,
    ),
  },
  'a container that ends is taken for an eviction': {
    world: { seed: 1, kinds: ['containerCrashes', 'agentSlow'], breaks: '3: a launch begins' },
    mutation: agentErrorsWith((error) => {
      const hasEnded = error instanceof TerminalError && error.code === 'ContainerTerminated';
      return hasEnded ? new RelaunchError('PodEvicted', error.detail) : undefined;
    }),
  },
};
