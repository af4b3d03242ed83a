import { type FaultPlan, Faults } from './faults.ts';
import { History } from './history.ts';
import { Random, seedOf } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { Shown } from './shown.ts';
import { Sightings } from './sightings.ts';

/** The shared parts of a simulated world. */
export interface Core {
  /** The choices that are not faults: delays, and picks from lists. */
  random: Random;
  scheduler: Scheduler;
  history: History;
  faults: Faults;
  sightings: Sightings;
  shown: Shown;
  /** Lets something happen between so many and so many milliseconds from now. */
  later(fromMs: number, toMs: number, happens: () => void): void;
}

/** Makes the shared parts of one run. */
export function makeCore(seed: number, plan: FaultPlan): Core {
  const random = new Random(seedOf(seed, 'world'));
  const scheduler = new Scheduler(random);
  const history = new History(scheduler.nowEpochMs);
  return {
    random,
    scheduler,
    history,
    faults: new Faults(seed, plan, history),
    sightings: new Sightings(),
    shown: new Shown(history),
    later: (fromMs, toMs, happens) => scheduler.after(random.between(fromMs, toMs), happens),
  };
}
