import { PendingError, RelaunchError, TerminalError } from '../../../../core/errors/errors.ts';
import type { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import type { Cluster } from '../../../../ports/cluster.ts';
import { portWith } from '../../../support/port-with.ts';
import { agentErrorsWith, openingWith, podsObserved, withPort } from './doubles.ts';
import type { Mutant } from './mutant.ts';

const progress: ReadonlySet<string> = new Set(['Pulling', 'Pulled', 'Created', 'Started', 'Failed', 'BackOff']);

/** Defects of the steps' verdicts on a Pod and of the wait for its agent. */
export const waitMutants: readonly Mutant[] = [
  {
    name: 'an old Event of a sandbox counts although the Pod has made progress since',
    world: { seed: 1, kinds: ['sandboxSlow', 'imagePullLong'] },
    breaks: '3:',
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
  {
    name: 'a grace period goes on although the Pod was seen well',
    world: { seed: 21, kinds: ['imagePullSlow', 'initSlow', 'hostLate'] },
    breaks: '3:',
    mutation: withPort('launches', (launches) => ({
      clearSignal: async () => undefined,
      noteSignal: (launchId, { container: _container, ...signal }, agentName) =>
        launches.noteSignal(launchId, signal, agentName),
    })),
  },
  {
    name: 'a grace that has passed fails a launch by what was seen, however long ago',
    world: { seed: 564, kinds: ['imagePullSlow', 'stalled', 'hostLate'] },
    breaks: '3:',
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
  {
    name: 'an agent that has not connected at the first look is given up',
    world: { seed: 1, kinds: ['agentSlow', 'imagePullLong'] },
    breaks: '3:',
    mutation: agentErrorsWith((error) =>
      error instanceof PendingError ? new TerminalError('ConnectDeadlineExceeded', error.detail) : undefined,
    ),
  },
  {
    name: 'a container that ends is taken for an eviction',
    world: { seed: 1, kinds: ['containerCrashes', 'agentSlow'] },
    breaks: '3: a launch begins',
    mutation: agentErrorsWith((error) => {
      const hasEnded = error instanceof TerminalError && error.code === 'ContainerTerminated';
      return hasEnded ? new RelaunchError('PodEvicted', error.detail) : undefined;
    }),
  },
];
