import { durationWords } from './duration.ts';
import { explanationOf } from './explanation.ts';
import { isOver } from './phases.ts';
import { saidOf } from './said-of.ts';
import type { Launch } from './timeline.ts';

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
  AwaitAgent: 'the agent has not connected yet',
};

/** Says what a launch waits for, and since when, or how it ended. */
export function whyOf(launch: Launch, nowEpochMs: number): Why {
  const { status, signal, job, ending, cleaning, connectedAt } = launch;
  if (ending !== undefined && (isOver(launch) || ending.outcome === 'failed')) return endOf(launch, ending);
  if (cleaning !== undefined) {
    return { what: 'davit removes its Pod and its Service', detail: saidOf(cleaning.because), since: cleaning.since };
  }
  if (signal !== undefined) return troubleOf(launch, signal, nowEpochMs);
  if (job !== undefined && job.finishedAt === undefined) return { what: 'its agent runs a job', since: job.startedAt };
  if (job?.finishedAt !== undefined) return { what: 'its job is over', since: job.finishedAt };
  if (connectedAt !== undefined) return { what: 'its agent is connected', since: connectedAt };
  return status === 'launching' ? startOf(launch, nowEpochMs) : { what: status, since: launch.requestedAt };
}

function endOf(
  { cleanedAt, status }: Launch,
  { code, message, means, advice, outcome, at }: NonNullable<Launch['ending']>,
): Why {
  if (outcome === 'terminated') return { what: 'it was ended', detail: saidOf(message), since: at };
  const isGone = status !== 'cleaning' || cleanedAt !== undefined;
  return {
    what: isGone ? 'it failed' : 'it failed, and davit removes its Pod and its Service',
    code,
    detail: saidOf(message),
    since: at,
    ...(means === undefined ? {} : { means }),
    ...(advice === undefined ? {} : { advice }),
  };
}

function troubleOf(launch: Launch, { code, detail, since }: NonNullable<Launch['signal']>, nowEpochMs: number): Why {
  const what = launch.status === 'launching' ? startOf(launch, nowEpochMs).what : 'its agent is connected';
  const explanation = code === 'Unschedulable' ? unschedulable(detail) : explanationOf(code);
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

function startOf({ waiting, plan, requestedAt }: Launch, nowEpochMs: number): Why {
  if (waiting === undefined) {
    return { what: 'davit creates its Service and its Pod', since: plan?.startedAt ?? requestedAt };
  }
  const { step, since } = waiting;
  const isLate = step === 'AwaitAgent' && nowEpochMs - Date.parse(since) > usualMs;
  const { advice } = isLate ? explanationOf('ConnectDeadlineExceeded') : {};
  return { what: stepWords[step] ?? step, since, ...(advice === undefined ? {} : { advice }) };
}

/** A usual agent connects sooner, even if its node has to pull the image. */
const usualMs = 60_000;

/** Says whether a launch that starts is in trouble, or takes longer than usual. */
export function needsSomebody({ signal, waiting }: Launch, nowEpochMs: number): boolean {
  return signal !== undefined || (waiting !== undefined && nowEpochMs - Date.parse(waiting.since) > usualMs);
}

/** Says when davit gives up on a launch that waits, and which setting says so; undefined for any other launch. */
export function limitWords({ waiting }: Launch, nowEpochMs: number): string | undefined {
  if (waiting === undefined) return undefined;
  const leftMs = Date.parse(waiting.givesUpAt) - nowEpochMs;
  const when = leftMs > 0 ? `in ${durationWords(leftMs)}` : 'now';
  return `davit gives up ${when}, at ${waiting.givesUpAt.slice(11, 19)} UTC (${waiting.limit})`;
}

/** The commands that show more of a launch's Pod, while it is there. */
export function lookCommands({ launchId, agentName, plan, status, waiting }: Launch): string[] {
  if (plan === undefined || (status !== 'launching' && status !== 'connected')) return [];
  // A Pod without a node has no log.
  const hasLog = status === 'connected' || waiting?.step === 'AwaitAgent';
  const describe = `kubectl --namespace ${plan.namespace} describe pod ${agentName}`;
  return hasLog ? [`davit logs ${launchId} --follow`, describe] : [describe];
}

/** Sums a launch up in one line; empty for one that goes as it should. */
export function whyLine(launch: Launch, nowEpochMs: number): string {
  const { what, code, detail, since } = whyOf(launch, nowEpochMs);
  if (code !== undefined) return [code, detail].filter((part) => part !== undefined).join(': ');
  if (launch.status === 'launching') return `${what}, for ${durationWords(nowEpochMs - Date.parse(since))}`;
  return launch.status === 'connected' ? '' : (detail ?? what);
}
