import type { Run } from '../run-seed.ts';
import { agentLives } from './agent-lives.ts';
import { connectedAgents } from './connected-agents.ts';
import { looksBegin, outagesShown, replacementsKept, troubleEnds, troubleInItsPlace } from './connection-states.ts';
import { Evidence, type Invariant } from './evidence.ts';
import { failedAreHeld, heldInFull, heldNoLonger } from './held-pods.ts';
import { justifiedEndings } from './justified-endings.ts';
import { justifiedMoves, justifiedRelaunches } from './justified-relaunches.ts';
import { neverOverLimit, noSlotsInVain, noSlotsLeft, roomIsUsed, slotsHeldToTheEnd } from './limits.ts';
import { lostRunAgain, rerunOnce, takenRunAgain } from './lost-jobs.ts';
import { cleanedWhenGone, noSweepNeeded, nothingLeft, readFirst, sweepsWait } from './nothing-left.ts';
import { oneAgent } from './one-agent.ts';
import { podAfterPort } from './order-of-creation.ts';
import { boundAgents, idleRunners, orphansOnly, queueAgents, registeredRunners } from './queue-agents.ts';
import {
  askedAtOnce,
  countedLaunches,
  freshEvents,
  launchesInOrder,
  neededReplacements,
  noneLeft,
  pacedRetries,
  queuedJobs,
  realSurplus,
} from './queued-jobs.ts';
import { endsInTime, noDefects, nothingLost, onlyForward, secretsKept, untroubledConnect } from './records.ts';
import { signatures } from './signatures.ts';
import { sizesKept } from './sizes.ts';
import { noneStandsByInNeed, summonedFirst, summonedSoon } from './standby.ts';
import { strangers, usedAgents } from './strangers.ts';
import { completeTokens, doors, rightAddress, sentAway } from './tokens.ts';
import { jobsFirst, successorsFirst, waitingBeforeWarm, warmKept, warmOnce, warmPaused } from './warm-agents.ts';

/** Every invariant; the numbers are those of docs/invariants.md. */
export const invariants: readonly Invariant[] = [
  podAfterPort,
  completeTokens,
  rightAddress,
  justifiedEndings,
  justifiedRelaunches,
  justifiedMoves,
  oneAgent,
  nothingLeft,
  cleanedWhenGone,
  noSweepNeeded,
  sweepsWait,
  failedAreHeld,
  heldInFull,
  heldNoLonger,
  agentLives,
  nothingLost,
  readFirst,
  secretsKept,
  doors,
  sentAway,
  signatures,
  onlyForward,
  untroubledConnect,
  endsInTime,
  noDefects,
  connectedAgents,
  queueAgents,
  boundAgents,
  registeredRunners,
  orphansOnly,
  idleRunners,
  queuedJobs,
  askedAtOnce,
  noneLeft,
  countedLaunches,
  launchesInOrder,
  realSurplus,
  neededReplacements,
  pacedRetries,
  freshEvents,
  lostRunAgain,
  takenRunAgain,
  rerunOnce,
  neverOverLimit,
  roomIsUsed,
  noSlotsInVain,
  slotsHeldToTheEnd,
  noSlotsLeft,
  warmKept,
  warmOnce,
  successorsFirst,
  jobsFirst,
  waitingBeforeWarm,
  warmPaused,
  summonedFirst,
  noneStandsByInNeed,
  summonedSoon,
  sizesKept,
  strangers,
  usedAgents,
  outagesShown,
  troubleInItsPlace,
  looksBegin,
  troubleEnds,
  replacementsKept,
];

/** An invariant that a run broke, and how. */
export interface Violation {
  invariant: string;
  detail: string;
}

/** Judges a run. @returns its violations; empty when every invariant holds */
export function judge(run: Run): Violation[] {
  const evidence = new Evidence(run);
  return invariants.flatMap(({ name, check }) => [...check(evidence)].map((detail) => ({ invariant: name, detail })));
}
