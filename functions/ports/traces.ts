import type { AgentIdentity } from './credentials.ts';

/** Puts into a launch's trace what is a request of its own, and so has another trace by itself. */
export interface Traces {
  /**
   * Notes that the launch's agent has connected. Never throws, and never waits for anybody: a trace that lacks a segment
   * is no reason to send an agent away.
   */
  agentConnected(
    agent: AgentIdentity,
    launchTraceHeader: string,
    connected: { fromEpochMs: number; toEpochMs: number },
  ): void;
}
