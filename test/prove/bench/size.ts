/** How many samples to take, and for how long to start new ones. A slow machine takes fewer, and reports the number. */
export interface Amount {
  samples: number;
  forSeconds: number;
}

/** The size of each measure. All of them end within half an hour on two idle processors. */
export const fullSize = {
  /** The number of starts of the runtime and the demo. */
  starts: { samples: 9, forSeconds: 120 },
  /** How long to watch the frames of the console's list, for each kind. */
  frameSeconds: 20,
  /** Launches one at a time per contender, on a real kubelet and on a kwok node. */
  oneAtATime: { samples: 40, forSeconds: 30 },
  /** Launches at the same time. */
  atOnce: 100,
  /** Launches per contender and round, as fast as possible. */
  sustained: 60,
  /** Launches per contender before these rounds: a rate is sustained when the code is compiled. */
  warmUp: 100,
  /** The number of rounds when many launches run at the same time. */
  rounds: { samples: 3, forSeconds: 50 },
  /** How many launches wait for their Pods' placement at the same time, one number after the other. */
  waiting: [1, 20],
  /** How long they wait, in seconds: more than the first minute, in which looks are long. */
  waitSeconds: 180,
  /** Launches whose API calls are counted. */
  counted: { samples: 20, forSeconds: 20 },
  /** How long agents poll, per contender and round, in seconds. */
  connectSeconds: 5,
  connectRounds: 3,
  /** The launch whose cost is compared with the tenth's. */
  growTo: { samples: 10_000, forSeconds: 60 },
  /** Launches behind the median cost at one moment. */
  growthSamples: 15,
  /** Jobs of a real Gitea, one at a time, per contender. */
  queued: { samples: 30, forSeconds: 45 },
  /** Jobs of a real Gitea at the same time, per contender. */
  queuedAtOnce: 100,
  /** Jobs of each kind of CI system, one at a time, per contender. */
  queuedInSystem: { samples: 20, forSeconds: 60 },
  /** Webhooks sent as fast as possible. */
  burst: 2000,
  /** The number of losses of a cluster per way while a launch is under way. */
  lost: { samples: 3, forSeconds: 240 },
  /** The number of losses while it is idle, and as a launch begins; each takes up to two minutes. */
  lostIdle: 2,
  /** How long a share of the calls to a cluster fails, in seconds. */
  failingSeconds: 300,
  /** Objects that a sweep visits. */
  swept: { samples: 10_000, forSeconds: 75 },
  /** An organization that davit reconciles with: its repositories, and the jobs that run on agents all the time. */
  organisation: { repositories: 5000, running: 2000, queuedAMinute: 200, rounds: 20 },
};

/** The size of each measure. */
export type Size = typeof fullSize;

/** For first results within a minute. */
export const quickSize: Size = {
  starts: { samples: 1, forSeconds: 1 },
  frameSeconds: 3,
  oneAtATime: { samples: 5, forSeconds: 5 },
  atOnce: 30,
  sustained: 30,
  warmUp: 30,
  rounds: { samples: 1, forSeconds: 1 },
  waiting: [20],
  waitSeconds: 90,
  counted: { samples: 3, forSeconds: 5 },
  connectSeconds: 2,
  connectRounds: 1,
  growTo: { samples: 50, forSeconds: 5 },
  growthSamples: 3,
  queued: { samples: 3, forSeconds: 5 },
  queuedAtOnce: 10,
  queuedInSystem: { samples: 2, forSeconds: 10 },
  burst: 100,
  lost: { samples: 1, forSeconds: 1 },
  lostIdle: 1,
  failingSeconds: 10,
  swept: { samples: 600, forSeconds: 10 },
  organisation: { repositories: 300, running: 100, queuedAMinute: 100, rounds: 3 },
};

/** Counts samples from 1, and takes at least one, however slow the machine is. */
export function* turnsOf({ samples, forSeconds }: Amount): Generator<number> {
  const endMs = performance.now() + forSeconds * 1000;
  for (let turn = 1; turn <= samples; turn += 1) {
    yield turn;
    if (performance.now() >= endMs) return;
  }
}
