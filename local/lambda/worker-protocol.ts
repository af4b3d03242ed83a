import type { JsonValue } from '../json-value.ts';

/** What a worker thread is started with: the functions that run in it. */
export interface WorkerStart {
  functions: readonly FunctionStart[];
}

/** One function of a worker thread. */
export interface FunctionStart {
  /** File URL of the module that exports `handler`. */
  moduleUrl: string;
  functionName: string;
  functionArn: string;
  memoryMiB: number;
  env: Readonly<Record<string, string>>;
}

/** One invocation, as it goes to the worker. */
export interface WorkerInvocation {
  functionName: string;
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

/** What the worker reports: which function has loaded or not, what it writes, and how an invocation went. */
export type WorkerMessage =
  | { type: 'ready'; functionName: string }
  | { type: 'initFailed'; functionName: string; error: FunctionErrorPayload }
  /** Without a name: something that no function of the thread did by itself. */
  | { type: 'output'; functionName?: string; text: string }
  | { type: 'returned'; requestId: string; resultJson: string }
  | { type: 'threw'; requestId: string; error: FunctionErrorPayload };
