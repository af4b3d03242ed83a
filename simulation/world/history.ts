import type { Connected } from '../../core/cluster/connection.ts';
import type { RelaunchCode } from '../../core/errors/error-codes.ts';
import type { CompletedToken } from '../../core/launch/completed-token.ts';
import type { Ending, LaunchRecord, LaunchStatus } from '../../core/launch/launch-record.ts';
import type { Written } from '../../core/trace/written.ts';
import type { FaultKind } from './fault-kinds.ts';

/** The actor in a cluster. */
export type Actor = 'davit' | 'others' | 'the cluster';

/** The kind of an object in a cluster. */
export type ObjectKind = 'Service' | 'Pod';

/** How often a state was repeated, and when the execution entered it. */
interface Repeats {
  repeated: number;
  mayRepeat: number;
  enteredAtEpochMs: number;
}

/** The kind of a request from outside; `forged`: a webhook with a foreign signature. */
export type Door = 'queued' | 'completed' | 'delete' | 'forged';

/** An object in the history; `launchId` is its label. */
export interface ObjectId {
  object: ObjectKind;
  uid: string;
  launchId: string | undefined;
}

/** An attempt of a job, named by the first launch that it requests. */
export type CiJobName = string;

/** An agent's request to connect: its Pod, its time, and whether it has its own credential. */
export interface AgentAsked {
  launchId: string;
  agentName: string;
  podUid: string;
  ownCredential: boolean;
  askedAtEpochMs: number;
}

/** One event. Has only fields that a check or a reader of a trace needs. */
export type Happening =
  | { kind: 'fault'; fault: FaultKind; launchId: string | undefined }
  /** A list of launches was out of date. `asOfEpochMs`: when it was right. */
  | { kind: 'listedStale'; asOfEpochMs: number }
  /** `ranBy`: the name of the runner that ran the completed job; absent for a job that never ran. */
  | { kind: 'sent'; launchId: string; door: Door; ranBy?: string | undefined }
  | { kind: 'asked'; launchId: string; door: Door; statusCode: number }
  | {
      kind: 'recorded';
      launchId: string;
      agentName: string | undefined;
      from: LaunchStatus | undefined;
      to: LaunchStatus;
      ending: Ending | undefined;
    }
  /** `by`: the function that started it. */
  | { kind: 'executionStarted'; launchId: string; by: string }
  | { kind: 'executionEnded'; launchId: string; status: string; error: string; cause: string; data: string }
  /** `sinceEpochMs`: when the attempt began that completed the previous state. */
  | { kind: 'stateEntered'; launchId: string; state: string; sinceEpochMs: number }
  /** A state failed for good: `repeated` times of `mayRepeat`, which is 0 for an error that is not repeated. */
  | ({ kind: 'stateFailed'; launchId: string; state: string; error: string; cause: string } & Repeats)
  /** A call of a function failed: it had no effect, or its answer was lost. It may have begun long before. */
  | {
      kind: 'callFailed';
      launchId: string;
      functionName: string;
      code: string;
      cluster: string | undefined;
      /** Where all creates fail, if that is why. */
      namespace?: string;
      beganAtEpochMs: number;
    }
  /** No probe follows until all faults have ended, so that the run ends. */
  | { kind: 'probedLast' }
  /** Creates in a namespace fail from now on, or work again. */
  | { kind: 'creates'; cluster: string; namespace: string; work: boolean }
  /** The connection in davit's record of a cluster, or of a namespace there, has changed. */
  /** A probe reported a failed look. `failedAtEpochMs`: when its last failed call ended, by its own clock. */
  | { kind: 'failedLook'; cluster: string; beganAtEpochMs: number; failedAtEpochMs: number }
  | { kind: 'clusterState'; cluster: string; namespace?: string; connected: Connected; sinceEpochMs: number }
  | {
      kind: 'relaunched';
      launchId: string;
      agentName: string;
      endedAgent: string | undefined;
      generation: number;
      cluster: string;
      endedCluster: string;
      /** The code of the end of the generation before, as the launch's record has it. */
      code: string | undefined;
    }
  /** DynamoDB removed an expired item. */
  | { kind: 'forgotten'; launchId: string; record: LaunchRecord }
  | { kind: 'tokenForgotten'; agentName: string }
  | { kind: 'stoppedByHand'; launchId: string }
  /** A secret is in an output that people or other systems read. */
  | { kind: 'leaked'; launchId: string; where: string }
  | { kind: 'stepEnded'; launchId: string; step: string; error: string | undefined }
  /** `cpu`: the limit of the agent's container, which a Pod may have. */
  | ({ kind: 'created'; by: Actor; name: string; ownerUid: string | undefined; cpu?: string } & ObjectId)
  | { kind: 'portAllocated'; uid: string; port: number }
  | { kind: 'podBound'; uid: string; hostIP: string; podIP: string; externalIP: string }
  /** Infrastructure took a Pod, which the cluster reports from now on. */
  | { kind: 'podTaken'; uid: string; code: RelaunchCode }
  | { kind: 'podOver'; uid: string; phase: 'Succeeded' | 'Failed' }
  | { kind: 'containerEnded'; uid: string; container: string; exitCode: number }
  | ({ kind: 'deleted'; by: Actor; wasRead: boolean } & ObjectId)
  | ({ kind: 'gone' } & ObjectId)
  | { kind: 'agentStarted' | 'agentEnded'; launchId: string; agentName: string; podUid: string }
  | { kind: 'tokenWritten'; token: CompletedToken }
  | { kind: 'tokenRead'; agentName: string; token: CompletedToken | undefined }
  | ({ kind: 'answered'; statusCode: number; body: string } & AgentAsked)
  /** A CI system's own jobs and runners; `launchId`: the launch whose agent registered the runner. */
  /** `pool`: the name of the profile that takes it, and what it asks for by its size; empty where none takes it. */
  | { kind: 'jobQueued'; job: CiJobName; pool: string }
  | { kind: 'handedOut'; launchId: string | undefined; runnerId: number; job: CiJobName }
  /** `byItself`: a job that failed, and whose agent was well; `isTaken`: one that its runner failed when it was told to stop. */
  | {
      kind: 'jobOver';
      launchId: string | undefined;
      runnerId: number | undefined;
      job: CiJobName;
      conclusion: string;
      byItself?: true;
      isTaken?: true;
    }
  /** davit noted that a job waits for a slot of the limit with this key. */
  | { kind: 'limited'; job: CiJobName; limitedBy: string }
  /** A poll saw a job in the queue, and has not asked for an agent. */
  | { kind: 'leftUnasked'; jobKey: string }
  /** davit noted why it has not launched for a job. */
  | { kind: 'notLaunched'; job: CiJobName; reason: string }
  /** davit noted that the clock of a CI system is off. */
  | { kind: 'clockKept' }
  /** davit had a job run again, after this attempt of it. */
  | { kind: 'rerunAsked'; id: number; latest: number }
  | { kind: 'runnerGone'; launchId: string | undefined; runnerId: number; by: string }
  /** A launch's record says that its agent stands by, without a runner. */
  | { kind: 'stoodBy'; launchId: string }
  /** A launch's record says that its agent is to be registered, for a job. */
  | { kind: 'summoned'; launchId: string; jobKey: string }
  /** A launch's record has a new runner. */
  | { kind: 'registered'; launchId: string; runnerId: number }
  /** A launch's record says which job its agent runs. */
  | { kind: 'bound'; launchId: string; jobKey: string }
  /** A job's record counts a launch, which is requested next. */
  | { kind: 'counted'; launchId: string; job: string }
  /** A function asked for a launch's retirement: Lambda has accepted the request. */
  | { kind: 'retirementAsked'; launchId: string; reason: string; by: string }
  /** A launch's record says that the launch is no longer wanted. */
  | { kind: 'retiring'; launchId: string; reason: string }
  /**
   * One of the minutes after the last fault: the jobs that wait for a slot although there is room; those that would
   * have room without the idle agents of another pool; and the pool of the warm agents.
   */
  | { kind: 'calmRound'; waitingWithRoom: readonly string[]; waitingBehindIdle: readonly string[]; warmPool: WarmPool }
  /** The attempts that have held a slot for a while, and of which no launch came. */
  | { kind: 'slotsInVain'; holders: readonly string[] }
  /** A holder's slot of a limit is free. */
  | { kind: 'slotFreed'; launchId: string; holder: string }
  /** From now on, the config asks for this many warm agents. */
  | { kind: 'warmWanted'; agents: number }
  | { kind: 'died'; launchId: string; functionName: string; why: string }
  /** A function that ended a launch died, or a call of it failed, before Lambda accepted its clean-up's request. */
  | { kind: 'endingCutOff'; launchId: string; functionName: string }
  | { kind: 'defect'; functionName: string; error: string }
  | { kind: 'sweptLast' }
  /** A sweep ended that had looked at everything, and had acted on every finding. */
  | { kind: 'sweptAll'; beganAtEpochMs: number };

/** The pool of the warm agents: how many are wanted, and the idle agents and queued jobs. */
export interface WarmPool {
  wanted: number;
  idle: number;
  queued: number;
}

/** An event and its time, in milliseconds since 1970-01-01T00:00:00Z. */
export type HistoryEvent = Happening & { atEpochMs: number };

/** Everything that happened in one run, in order. */
export class History {
  readonly events: HistoryEvent[] = [];
  /** Each write of a record, as a trace has it, made when somebody reads it: most runs are judged without. */
  readonly writes: { atEpochMs: number; written: () => Written }[] = [];
  readonly #nowEpochMs: () => number;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  /** Notes a write of a record. */
  trace(written: () => Written): void {
    this.writes.push({ atEpochMs: this.#nowEpochMs(), written });
  }

  add(happening: Happening): void {
    this.events.push({ ...happening, atEpochMs: this.#nowEpochMs() });
  }
}
