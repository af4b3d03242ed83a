import type { InvokedEvents } from '../core/invoked-events.ts';

/** A function, and its event. */
export type Invocation<Name extends keyof InvokedEvents = keyof InvokedEvents> = {
  [Each in Name]: [functionName: Each, event: InvokedEvents[Each]];
}[Name];

/**
 * Invokes one of these functions, without waiting for its run: `invokeLater('clean-up', { launchId })`. Returns once the
 * request is durable: the function runs even if the process that asks dies.
 *
 * @throws TransientError StoreUnavailable
 */
export type InvokeLater<Name extends keyof InvokedEvents> = (...invocation: Invocation<Name>) => Promise<void>;
