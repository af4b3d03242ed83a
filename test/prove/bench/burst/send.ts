import type { BurstProgram } from './start-program.ts';

/** The number of concurrent requests. */
export const senders = 50;
const patienceMs = 900_000;

/** The result of one request. */
export interface Sent {
  isAccepted: boolean;
  /** The name of its launch or execution. */
  name: string;
}

/** The result of a burst. Times count from its start. */
export interface Burst {
  name: string;
  accepted: number;
  refused: number;
  sentMs: number;
  answersMs: number[];
  /** When the last accepted one was launched; Infinity if one was not. */
  launchedMs: number;
  /** When the last refused one began nevertheless; Infinity if one did not, 0 if none was refused. */
  foundMs: number;
}

/** The requests of a burst. */
export interface BurstRequests {
  name: string;
  count: number;
  request: (index: number) => Promise<Sent>;
  /** Runs after each answer. */
  onAnswered?: (answered: number) => void;
  /** Whether what is accepted is launched. @default it is */
  isLaunched?: boolean;
  /** Whether davit reconciles, so that refused jobs begin later. @default it does not */
  isReconciled?: boolean;
}

/** Sends a burst as fast as it is answered, and waits until all of it is launched. */
export async function sendBurst(
  program: BurstProgram,
  { name, count, request, onAnswered, isLaunched = true, isReconciled = false }: BurstRequests,
): Promise<Burst> {
  const startMs = performance.now();
  const answersMs: number[] = [];
  const sent: Sent[] = [];
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const sendOn = async () => {
    for (const index of indexes) {
      const sentMs = performance.now();
      sent.push(await request(index));
      answersMs.push(performance.now() - sentMs);
      onAnswered?.(answersMs.length);
    }
  };
  await Promise.all(Array.from({ length: senders }, sendOn));
  const sentMs = performance.now() - startMs;
  const accepted = namesOf(sent, true);
  const refused = namesOf(sent, false);
  const isDone = () =>
    (!isLaunched || accepted.every((each) => program.launched.has(each))) &&
    (!isReconciled || refused.every((each) => program.begun.has(each)));
  await program.until(isDone, patienceMs);
  const lastOf = (names: readonly string[], at: ReadonlyMap<string, number>) =>
    names.reduce((last, each) => Math.max(last, (at.get(each) ?? Infinity) - startMs), 0);
  return {
    name,
    accepted: accepted.length,
    refused: refused.length,
    sentMs,
    answersMs,
    launchedMs: lastOf(accepted, program.launched),
    foundMs: lastOf(refused, program.begun),
  };
}

function namesOf(sent: readonly Sent[], isAccepted: boolean): string[] {
  return sent.filter((each) => each.isAccepted === isAccepted).map(({ name }) => name);
}
