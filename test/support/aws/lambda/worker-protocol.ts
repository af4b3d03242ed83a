import type { FunctionErrorPayload } from '../../../../local/runtime/invocation.ts';

/** The input of a worker thread: the functions that run in it. */
export interface WorkerInput {
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
  /** JSON text, because Lambda's runtime also gets a serialized copy. */
  eventJson: string;
  deadlineEpochMs: number;
}

/** The worker's messages: whether a function has loaded, its output, and the outcome of an invocation. */
export type WorkerMessage =
  | { type: 'ready'; functionName: string }
  | { type: 'initFailed'; functionName: string; error: FunctionErrorPayload }
  /** Absent when the output belongs to no single function of the thread. */
  | { type: 'output'; functionName?: string; text: string }
  | { type: 'returned'; requestId: string; resultJson: string }
  | { type: 'threw'; requestId: string; error: FunctionErrorPayload };
