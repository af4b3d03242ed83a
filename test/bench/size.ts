/** How many samples are taken, and for how long new ones are begun: a slow machine takes fewer, and says how many. */
export interface Amount {
  samples: number;
  forSeconds: number;
}

/** How much is measured. */
export interface Size {
  /** How often the runtime and the demo are started. */
  starts: Amount;
  /** Launches one at a time of each contender, on a real kubelet and on a kwok node. */
  oneAtATime: Amount;
  /** Launches at once. */
  atOnce: number;
  /** Launches of each contender and round, as fast as they go. */
  sustained: number;
  /** How often the contenders take turns where many launches are made at once. */
  rounds: Amount;
  /** How long a launch waits for its Pod to be placed, in seconds. */
  waitSeconds: number;
  /** Launches whose API calls are counted. */
  counted: Amount;
  /** How long agents poll, of each contender and round, in seconds. */
  connectSeconds: number;
  connectRounds: number;
  /** The launch whose cost is compared with the tenth's. */
  growTo: Amount;
  /** Launches that the cost at one moment is the median of. */
  growthSamples: number;
  /** Objects that a sweep looks at. */
  swept: Amount;
}

/** Ends within ten minutes on two processors that have nothing else to do. */
export const fullSize: Size = {
  starts: { samples: 9, forSeconds: 120 },
  oneAtATime: { samples: 40, forSeconds: 30 },
  atOnce: 100,
  sustained: 60,
  rounds: { samples: 3, forSeconds: 50 },
  waitSeconds: 180,
  counted: { samples: 20, forSeconds: 20 },
  connectSeconds: 5,
  connectRounds: 3,
  growTo: { samples: 10_000, forSeconds: 60 },
  growthSamples: 15,
  swept: { samples: 10_000, forSeconds: 75 },
};

/** For a first answer in a minute. */
export const quickSize: Size = {
  starts: { samples: 1, forSeconds: 1 },
  oneAtATime: { samples: 5, forSeconds: 5 },
  atOnce: 30,
  sustained: 30,
  rounds: { samples: 1, forSeconds: 1 },
  waitSeconds: 45,
  counted: { samples: 3, forSeconds: 5 },
  connectSeconds: 2,
  connectRounds: 1,
  growTo: { samples: 50, forSeconds: 5 },
  growthSamples: 3,
  swept: { samples: 600, forSeconds: 10 },
};

/** Counts samples from 1: at least one, however slow it is. */
export function* turnsOf({ samples, forSeconds }: Amount): Generator<number> {
  const endMs = performance.now() + forSeconds * 1000;
  for (let turn = 1; turn <= samples; turn += 1) {
    yield turn;
    if (performance.now() >= endMs) return;
  }
}
