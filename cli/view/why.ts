import { present } from '../../core/present.ts';
import { durationWords } from './duration.ts';
import { type Explanation, explanationOf, explanationOfEnding, explanationOfWait, noAddress } from './explanation.ts';
import { isHeld, isOver } from './phases.ts';
import { saidOf } from './said-of.ts';
import type { Launch } from './timeline.ts';
import { standsBy } from './warm.ts';

/** What a launch does or waits for now, or how it ended. */
export interface Why {
  /** In words: `the agent has not connected yet`. */
  what: string;
  /** An error code, if trouble holds the launch or ended it. */
  code?: string;
  /** The words of the cluster or the CI system, or the reason for the launch's end. */
  detail?: string;
  /** ISO 8601. */
  since: string;
  means?: string;
  advice?: string;
}

/** What each step of the state machine waits for. */
const stepWords: Readonly<Record<string, string>> = {
  CreateService: 'davit creates the Service',
  PollNodePort: 'the Service has no port yet',
  CreatePod: 'davit creates the Pod',
  PollHostIP: 'the Pod has no node yet',
  PublishToken: "davit publishes the agent's address",
};

/** Says what a launch waits for, and since when, or how it ended. */
export function whyOf(launch: Launch, nowEpochMs: number): Why {
  const { status, signal, job, ending, cleaning, standby, connectedAt } = launch;
  if (ending !== undefined && (isOver(launch) || ending.outcome === 'failed')) return endOf(launch, ending);
  if (cleaning !== undefined) {
    const { since, because } = cleaning;
    const isLate = nowEpochMs - Date.parse(since) > usualMs;
    const what = 'davit removes its Pod and its Service';
    return { what, detail: saidOf(because), since, ...(isLate && { advice: lateRemoval }) };
  }
  if (signal !== undefined) return troubleOf(launch, signal, nowEpochMs);
  if (job !== undefined && job.finishedAt === undefined) return { what: 'its agent runs a job', since: job.startedAt };
  if (job?.finishedAt !== undefined) return { what: 'its job is over', since: job.finishedAt };
  if (standby !== undefined && standsBy(launch))
    return { what: 'its agent stands by, for the next job', since: standby.since };
  if (connectedAt !== undefined) return { what: 'its agent is connected', since: connectedAt };
  return status === 'launching' ? startOf(launch, nowEpochMs) : { what: status, since: launch.requestedAt };
}

function endOf(
  { cleanedAt, hold, status }: Launch,
  { code, message, means, advice, outcome, at }: NonNullable<Launch['ending']>,
): Why {
  if (outcome === 'terminated') return { what: 'it was ended', detail: saidOf(message), since: at };
  const isGone = status !== 'cleaning' || cleanedAt !== undefined;
  const hasNoMore = isGone || isHeld({ hold });
  return {
    what: hasNoMore ? 'it failed' : 'it failed, and davit removes its Pod and its Service',
    code,
    detail: saidOf(message),
    since: at,
    ...explanationOfEnding(code, message, present({ means, advice })),
  };
}

function troubleOf(launch: Launch, { code, detail, since }: NonNullable<Launch['signal']>, nowEpochMs: number): Why {
  const connected = code === 'AgentExited' ? 'its agent is gone' : 'its agent is connected';
  const what = launch.status === 'launching' ? startOf(launch, nowEpochMs).what : connected;
  const explanation = code === 'Unschedulable' ? unschedulable(detail) : explanationOfWait(code);
  return { what, code, detail: detail.replace(`${code}: `, ''), since, ...explanation };
}

/** `Unschedulable` is the scheduler's word, and no code of davit's. */
function unschedulable(detail: string): { means: string; advice: string } {
  const means = 'No node has room for the Pod.';
  if (detail.includes('; an autoscaler acts: ')) {
    return { means, advice: 'Nothing: an autoscaler adds a node. It takes some minutes.' };
  }
  const advice =
    'Read which demand of the Pod each node fails. Add a node that meets it, or ask for less in the profile.';
  if (detail.includes('; an autoscaler does not act: ')) return { means, advice };
  return { means, advice: `${advice} No autoscaler has said that it acts for this Pod.` };
}

/** Says whether a launch waits for its agent: the agent's address is published. */
function awaitsAgent({ waiting, timeline }: Launch): boolean {
  return waiting !== undefined && timeline?.tokenAt !== undefined;
}

function startOf(launch: Launch, nowEpochMs: number): Why {
  const { waiting, podState, plan, requestedAt } = launch;
  if (waiting === undefined) {
    return { what: 'davit creates its Service and its Pod', since: plan?.startedAt ?? requestedAt };
  }
  const { step, since } = waiting;
  // The condition PodScheduled is the first that is met, and podState has those that are not.
  const hasNode = step === 'PollHostIP' && podState !== undefined && !podState.detail.includes('not PodScheduled');
  const isLate = nowEpochMs - Date.parse(since) > usualMs;
  const { advice } = isLate ? lateAdvice(launch, step, hasNode) : {};
  return { what: waitWords(launch, step, hasNode), since, ...present({ advice }) };
}

function waitWords(launch: Launch, step: string, hasNode: boolean): string {
  if (awaitsAgent(launch)) return 'the agent has not connected yet';
  return hasNode ? 'the Pod has a node, and no address yet' : (stepWords[step] ?? step);
}

/** What to do about a step that takes longer than usual although the cluster reports no trouble. */
function lateAdvice(launch: Launch, step: string, hasNode: boolean): Explanation {
  if (awaitsAgent(launch)) return explanationOf('ConnectDeadlineExceeded');
  if (step === 'PollNodePort') return explanationOf('NodePortDeadlineExceeded');
  if (step === 'PollHostIP') return hasNode ? noAddress : {};
  return {
    advice: 'Usually this takes seconds. `davit clusters` says whether the cluster answers, `davit doctor` why not.',
  };
}

/** A usual agent connects sooner, even if its node has to pull the image; and a usual Pod ends sooner. */
const usualMs = 60_000;

const lateRemoval =
  'Usually this takes seconds. Look whether the Pod has a long termination grace period, whether a finalizer holds it, and whether its cluster is disconnected (`davit clusters`). davit asks again each minute.';

/** Says whether a launch that starts is in trouble, or takes longer than usual. */
export function needsSomebody({ signal, waiting }: Launch, nowEpochMs: number): boolean {
  return signal !== undefined || (waiting !== undefined && nowEpochMs - Date.parse(waiting.since) > usualMs);
}

/**
 * Says when davit gives up on a launch that waits, and which setting says so, or until when it holds the Pod of one that
 * failed; undefined for any other launch.
 */
export function limitWords(
  { waiting, hold }: Launch,
  nowEpochMs: number,
  clockOf: (at: string) => string = utcClock,
): string | undefined {
  if (hold !== undefined && isHeld({ hold }))
    return `davit holds its Pod until ${clockOf(hold.until)}, for you to look at`;
  if (waiting === undefined) return undefined;
  const leftMs = Date.parse(waiting.givesUpAt) - nowEpochMs;
  const when = leftMs > 0 ? `in ${durationWords(leftMs)}` : 'now';
  return `davit gives up ${when}, at ${clockOf(waiting.givesUpAt)} (${waiting.limit})`;
}

function utcClock(at: string): string {
  return `${at.slice(11, 19)} UTC`;
}

/** The steps at which a launch has its Pod. */
const stepsWithPod: ReadonlySet<string> = new Set(['PollHostIP', 'PublishToken']);

/** The Pod's own words, unless those of the trouble are the same. */
export function podWordsOf({ podState }: Launch, { detail }: Pick<Why, 'detail'>): string | undefined {
  const said = detail?.replace(/^held by [^;]*; /, '');
  return said !== undefined && podState?.detail.includes(said) ? undefined : podState?.detail;
}

/** The commands that show more of what a launch waits for, while it is there. */
export function lookCommands(launch: Launch): string[] {
  const { launchId, agentName, plan, status, waiting, signal, hold } = launch;
  if (plan === undefined || isOver({ status })) return [];
  const kubectl = `kubectl --namespace ${plan.namespace}`;
  if (isHeld({ hold })) {
    const looks = [`${kubectl} describe pod ${agentName}`, `davit logs ${launchId}`, `davit exec ${launchId}`];
    return [...looks, `davit end ${launchId}  # removes it now`];
  }
  if (status === 'cleaning') return [`${kubectl} get pods,services --selector davit.dev/launch-id=${launchId}`];
  if (signal?.code === 'QuotaExceeded') return [`${kubectl} describe resourcequotas`];
  if (signal?.code === 'NodePortRangeFull') return ['kubectl get services --all-namespaces'];
  const describe = `${kubectl} describe pod ${agentName}`;
  // A Pod without a node has no log.
  if (status === 'connected' || awaitsAgent(launch)) return [`davit logs ${launchId} --follow`, describe];
  return waiting !== undefined && stepsWithPod.has(waiting.step) ? [describe] : [];
}

/** Sums a launch up in one line; empty for one that goes as it should. */
export function whyLine(launch: Launch, nowEpochMs: number): string {
  const { what, code, detail, since } = whyOf(launch, nowEpochMs);
  const held = isHeld(launch) ? limitWords(launch, nowEpochMs) : undefined;
  const words = [code, detail].filter((part) => part !== undefined).join(': ');
  if (code !== undefined) return held === undefined ? words : `${words}; ${held}`;
  if (launch.status === 'launching') return `${what}, for ${durationWords(nowEpochMs - Date.parse(since))}`;
  return launch.status === 'connected' ? '' : (detail ?? what);
}
