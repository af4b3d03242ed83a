import type { Run } from '../run-seed.ts';
import { agentLives } from './agent-lives.ts';
import { connectedAgents } from './connected-agents.ts';
import { Evidence, type Invariant } from './evidence.ts';
import { justifiedEndings } from './justified-endings.ts';
import { justifiedRelaunches } from './justified-relaunches.ts';
import { cleanedWhenGone, noSweepNeeded, nothingLeft, readFirst } from './nothing-left.ts';
import { oneAgent } from './one-agent.ts';
import { podAfterPort } from './order-of-creation.ts';
import { endsInTime, noDefects, nothingLost, onlyForward, secretsKept, untroubledConnect } from './records.ts';
import { signatures } from './signatures.ts';
import { completeTokens, doors, rightAddress } from './tokens.ts';

/** Everything that holds in every run; the numbers are those of the design's eight invariants. */
export const invariants: readonly Invariant[] = [
  podAfterPort,
  completeTokens,
  rightAddress,
  justifiedEndings,
  justifiedRelaunches,
  oneAgent,
  nothingLeft,
  cleanedWhenGone,
  noSweepNeeded,
  agentLives,
  nothingLost,
  readFirst,
  secretsKept,
  doors,
  signatures,
  onlyForward,
  untroubledConnect,
  endsInTime,
  noDefects,
  connectedAgents,
];

/** An invariant that a run broke, and how. */
export interface Violation {
  invariant: string;
  detail: string;
}

/** Judges a run. @returns what it broke; empty when all is well */
export function judge(run: Run): Violation[] {
  const evidence = new Evidence(run);
  return invariants.flatMap(({ name, check }) => [...check(evidence)].map((detail) => ({ invariant: name, detail })));
}
