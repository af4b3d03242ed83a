import { PendingError, TerminalError } from '../../../functions/domain/errors.ts';
import type { PodView } from '../../../functions/domain/kubernetes-objects.ts';
import { podsObserved } from './doubles.ts';
import type { Mutant } from './mutant.ts';

/** The check that shipped was the inverted one (JENKINS-68649). */
function heedPhase(pod: PodView | undefined): void {
  const runs = pod?.status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
  if (runs && pod?.status?.phase !== 'Running') throw new TerminalError('PodFailed', `phase ${pod?.status?.phase}`);
}

/** What could be wrong with a step, and was with those before it. */
export const stepMutants: readonly Mutant[] = [
  {
    name: 'a Pod whose containers run while its phase says Pending is declared dead',
    seed: 1,
    kinds: ['statusLate', 'statusOdd'],
    breaks: '3:',
    mutation: { deps: (deps) => podsObserved(deps, heedPhase) },
  },
  {
    name: "a nodePort that is not there yet is replaced by the container's port",
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
    name: 'a deadline is counted from the latest attempt',
    seed: 5,
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
];
