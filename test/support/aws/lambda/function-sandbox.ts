import type { FunctionErrorPayload } from '../../../../local/runtime/invocation.ts';

/** How an invocation ended; the result is JSON text. */
export type SandboxOutcome = { resultJson: string } | { error: FunctionErrorPayload };

/** The place where a function runs. It runs many invocations at a time, until it retires. */
export interface FunctionSandbox {
  /** Resolves once the function is loaded, to undefined; or to the reason why it did not load. */
  loaded(): Promise<FunctionErrorPayload | undefined>;
  /** Runs one invocation; never rejects. The invocation's time starts when the function is loaded. */
  run(requestId: string, eventJson: string): Promise<SandboxOutcome>;
  /** Ends the sandbox at once, as a crash would. */
  terminate(): Promise<void>;
}

/** The settings of a sandbox. */
export interface SandboxOptions {
  /** Absolute path of the module that exports `handler`. */
  modulePath: string;
  functionName: string;
  functionArn: string;
  memoryMiB: number;
  env: Record<string, string>;
  timeoutSeconds: number;
  /** Receives the function's output, stdout and stderr. */
  onOutput: (text: string) => void;
  /** Called once, when the sandbox takes no more invocations. */
  onRetired: () => void;
  /** Called once, when the sandbox is no more. */
  onExit: () => void;
}

/** How long a module may take to load. */
export const INIT_TIMEOUT_SECONDS = 60;

/** @see https://docs.aws.amazon.com/lambda/latest/dg/troubleshooting-invocation.html */
export function timedOut(requestId: string, timeoutSeconds: number): FunctionErrorPayload {
  const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${timeoutSeconds.toFixed(2)} seconds`;
  return { errorType: 'Sandbox.Timedout', errorMessage, trace: [] };
}

/** Says why a runtime has exited. @param exitCode null when a signal has ended it */
export function exitReason(exitCode: number | null): string {
  if (exitCode === null) return 'Runtime exited with error: signal: killed';
  if (exitCode === 0) return 'Runtime exited without providing a reason';
  return `Runtime exited with error: exit status ${exitCode}`;
}

/** The outcome of an invocation whose runtime has exited. */
export function exitError(requestId: string, reason: string): FunctionErrorPayload {
  return { errorType: 'Runtime.ExitError', errorMessage: `RequestId: ${requestId} Error: ${reason}`, trace: [] };
}
