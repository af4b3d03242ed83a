import { DavitError, type ErrorSubject, TransientError } from '../domain/errors.ts';
import { judgeDisruption } from '../domain/judge-disruption.ts';
import { isEnd, isHeldUp, judgeDisappearance, judgeEnd, judgeHoldUp } from '../domain/judge-events.ts';
import { judgePod } from '../domain/judge-pod.ts';
import type { EventView, PodView } from '../domain/kubernetes-objects.ts';
import type { LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import type { PodVerdict } from '../domain/pod-verdict.ts';
import type { Cluster } from '../ports/cluster.ts';
import { type HeedDeps, heedVerdicts } from './heed-verdicts.ts';

/** A launch whose Pod was created, and maybe seen since. */
type LaunchWithPod = LaunchPlan & Pick<LaunchState, 'pod'> & Partial<Pick<LaunchState, 'placement'>>;

/** A watch gives what is past at once. */
const pastMs = 2000;

/** What the cluster said last, and about what. */
interface Said {
  says: string;
  about: ErrorSubject;
}

/** What an observation has come to: what was said last, and the Pod that it was said of. */
export interface Conclusion extends Said {
  pod: PodView | undefined;
}

/** Judges a Pod through one observation, and fails the step as its verdicts say. */
export interface PodHeeder {
  /** Takes the Pod as it is now. @throws TerminalError or RelaunchError with the verdict's code; TransientError */
  see(pod: PodView | undefined): Promise<void>;
  /**
   * Ends the observation: looks at the Pod as it is when nothing was seen, as a Pod that is held up may not change at
   * all; and at the Events of one that no container was started in, of which its status says too little.
   *
   * @throws as `see`
   */
  conclude(): Promise<Conclusion>;
}

/** Makes what judges a launch's Pod, for one attempt of a step. */
export function heedPod(
  deps: HeedDeps,
  { pods, reports }: Pick<Cluster, 'pods' | 'reports'>,
  launch: LaunchWithPod,
  about: ErrorSubject,
): PodHeeder {
  const { launchId, agentName, namespace, graces } = launch;
  const heedVerdict = heedVerdicts(deps, launchId, graces, about, async () => {
    const pod = await pods.get(namespace, agentName);
    const verdict = await judge(pod);
    return pod !== undefined && isHeldUp(pod) ? judgeHeldUp(pod, verdict) : verdict;
  });
  let seen: PodView | undefined;
  let said: Said | undefined;

  async function heed(verdict: PodVerdict): Promise<Said> {
    said = { says: await heedVerdict(verdict), about: { ...about, ...verdict.about } };
    return said;
  }

  async function see(pod: PodView | undefined): Promise<Said> {
    seen = pod;
    return await heed(await judge(pod));
  }

  async function readEvents(): Promise<EventView[]> {
    const events = await reports.events(namespace, agentName);
    return events.filter(({ involvedObject: { uid } }) => uid === undefined || uid === launch.pod.uid);
  }

  async function judge(pod: PodView | undefined): Promise<PodVerdict> {
    const verdict = judgePod(pod, launch.pod.uid);
    if (pod === undefined) return (await judgePast()) ?? orByEvents(verdict, readEvents, judgeDisappearance);
    return isEnd(verdict) ? orByEvents(verdict, readEvents, (events) => judgeEnd(verdict, events)) : verdict;
  }

  /**
   * Judges a Pod that is gone by what it was at last, as far as the API server still knows. Who takes a Pod from a node
   * that is deleted marks it and deletes it in one go, between two attempts maybe, and leaves no Event.
   */
  async function judgePast(): Promise<PodVerdict | undefined> {
    const since = (launch.placement ?? launch.pod).resourceVersion;
    let last: PodView | undefined;
    for await (const past of pods.observe(namespace, agentName, { since, forMs: pastMs })) {
      if (past?.metadata.uid === launch.pod.uid) last = past;
    }
    return last && judgeDisruption(last);
  }

  async function judgeHeldUp(pod: PodView, verdict: PodVerdict): Promise<PodVerdict> {
    return orByEvents(verdict, readEvents, (events) => judgeHoldUp(pod, events));
  }

  return {
    see: async (pod) => void (await see(pod)),
    conclude: async () => {
      const last = said ?? (await see(await pods.get(namespace, agentName)));
      if (seen === undefined || !isHeldUp(seen)) return { ...last, pod: seen };
      return { ...(await heed(await judgeHeldUp(seen, { kind: 'wait', ...last }))), pod: seen };
    },
  };
}

/**
 * Lets Events say more than a verdict does. They are a help: a cluster that lets nobody read them fails no launch for
 * that, but it is told.
 */
async function orByEvents(
  verdict: PodVerdict,
  readEvents: () => Promise<EventView[]>,
  judge: (events: EventView[]) => PodVerdict | undefined,
): Promise<PodVerdict> {
  try {
    return judge(await readEvents()) ?? verdict;
  } catch (error) {
    if (!(error instanceof DavitError) || error instanceof TransientError) throw error;
    return { ...verdict, says: `${verdict.says}; its Events cannot be read: ${error.message}` };
  }
}
