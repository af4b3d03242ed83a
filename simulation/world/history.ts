import type { CompletedToken } from '../../functions/domain/completed-token.ts';
import type { RelaunchCode } from '../../functions/domain/error-codes.ts';
import type { Ending, LaunchRecord, LaunchStatus } from '../../functions/domain/launch-record.ts';
import type { FaultKind } from './fault-kinds.ts';

/** Who did something in a cluster. */
export type Actor = 'davit' | 'others' | 'the cluster';

/** The kind of an object in a cluster. */
export type ObjectKind = 'Service' | 'Pod';

/** How often a state was repeated, and since when it was in it. */
interface Repeats {
  repeated: number;
  mayRepeat: number;
  enteredAtEpochMs: number;
}

/** How someone outside asks davit for something; `forged`: a webhook with a signature of their own. */
export type Door = 'queued' | 'completed' | 'delete' | 'forged';

/** An object as the history knows it; `launchId` is its label. */
export interface ObjectId {
  object: ObjectKind;
  uid: string;
  launchId: string | undefined;
}

/** An agent's request to connect: of which Pod, when it was sent, and whether with its own credential. */
export interface AgentAsked {
  launchId: string;
  agentName: string;
  podUid: string;
  ownCredential: boolean;
  askedAtEpochMs: number;
}

/** One thing that happened. Nothing is in here that a check does not read, or a person who reads a trace. */
export type Happening =
  | { kind: 'fault'; fault: FaultKind; launchId: string | undefined }
  | { kind: 'sent'; launchId: string; door: Door }
  | { kind: 'asked'; launchId: string; door: Door; statusCode: number }
  | {
      kind: 'recorded';
      launchId: string;
      agentName: string | undefined;
      from: LaunchStatus | undefined;
      to: LaunchStatus;
      ending: Ending | undefined;
    }
  | { kind: 'executionStarted'; launchId: string }
  | { kind: 'executionEnded'; launchId: string; status: string; error: string; cause: string; data: string }
  /** `sinceEpochMs`: when the attempt began that completed the state before. */
  | { kind: 'stateEntered'; launchId: string; state: string; sinceEpochMs: number }
  /** A state failed for good: `repeated` times of `mayRepeat`, which is 0 for an error that is not repeated. */
  | ({ kind: 'stateFailed'; launchId: string; state: string; error: string; cause: string } & Repeats)
  /** A call of a function failed: it had no effect, or its answer was lost. */
  | { kind: 'callFailed'; launchId: string; functionName: string; code: string }
  | { kind: 'relaunched'; launchId: string; agentName: string; endedAgent: string | undefined; generation: number }
  /** DynamoDB removed an expired item. */
  | { kind: 'forgotten'; launchId: string; record: LaunchRecord }
  | { kind: 'tokenForgotten'; agentName: string }
  | { kind: 'stoppedByHand'; launchId: string }
  /** A secret is in an output that people or other systems read. */
  | { kind: 'leaked'; launchId: string; where: string }
  | { kind: 'stepEnded'; launchId: string; step: string; error: string | undefined }
  | ({ kind: 'created'; by: Actor; name: string; ownerUid: string | undefined } & ObjectId)
  | { kind: 'portAllocated'; uid: string; port: number }
  | { kind: 'podBound'; uid: string; hostIP: string; podIP: string; externalIP: string }
  /** Infrastructure took a Pod, which the cluster says from here on. */
  | { kind: 'podTaken'; uid: string; code: RelaunchCode }
  | { kind: 'podOver'; uid: string; phase: 'Succeeded' | 'Failed' }
  | { kind: 'containerEnded'; uid: string; container: string; exitCode: number }
  | ({ kind: 'deleted'; by: Actor; wasRead: boolean } & ObjectId)
  | ({ kind: 'gone' } & ObjectId)
  | { kind: 'agentStarted' | 'agentEnded'; launchId: string; agentName: string; podUid: string }
  | { kind: 'tokenWritten'; token: CompletedToken }
  | { kind: 'tokenRead'; agentName: string; token: CompletedToken | undefined }
  | ({ kind: 'answered'; statusCode: number; body: string } & AgentAsked)
  | { kind: 'died'; launchId: string; functionName: string; why: string }
  | { kind: 'defect'; functionName: string; error: string }
  | { kind: 'sweptLast' };

/** What happened, and when, in milliseconds since 1970-01-01T00:00:00Z. */
export type HistoryEvent = Happening & { atEpochMs: number };

/** Everything that happened in one run, in its order. */
export class History {
  readonly events: HistoryEvent[] = [];
  readonly #nowEpochMs: () => number;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  add(happening: Happening): void {
    this.events.push({ ...happening, atEpochMs: this.#nowEpochMs() });
  }
}
