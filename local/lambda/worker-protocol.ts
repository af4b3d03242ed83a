import type { JsonValue } from '../json-value.ts';

/** What a function's worker thread is started with. */
export interface WorkerStart {
  /** File URL of the module that exports `handler`. */
  moduleUrl: string;
  functionName: string;
  functionArn: string;
  memoryMiB: number;
}

/** One invocation, as it goes to the worker. */
export interface WorkerInvocation {
  requestId: string;
  /** JSON text: what Lambda's runtime gets is a copy that has been through the wire, too. */
  eventJson: string;
  deadlineEpochMs: number;
}

/** What a function throws, as the Lambda runtime reports it. */
export interface FunctionErrorPayload {
  [key: string]: JsonValue;
  errorType: string;
  errorMessage: string;
  trace: string[];
}

/** What the worker says: loaded or not, and how an invocation went. */
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'initFailed'; error: FunctionErrorPayload }
  | { type: 'returned'; requestId: string; resultJson: string }
  | { type: 'threw'; requestId: string; error: FunctionErrorPayload };
