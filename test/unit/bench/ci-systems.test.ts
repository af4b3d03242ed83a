import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ciSystemKinds } from '../../prove/bench/ci-systems/kinds.ts';
import { until } from '../../prove/cluster/until.ts';

const patienceMs = 60_000;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'davit-bench-'));
});
afterEach(() => rm(directory, { recursive: true }));

test.each(ciSystemKinds)('jobs of $name run on an agent that is connected and idle, without davit', async (kind) => {
  await using resources = new AsyncDisposableStack();
  const { environment } = kind.agents;
  const system = await kind.start({ directory, environment, resources });
  const waits: number[] = [];

  for (let jobs = 1; jobs <= 2; jobs += 1) {
    await system.untilAgentIdle();
    const job = system.queue();
    const started = await until('the job runs', patienceMs, async () => job.startedAtEpochMs());
    await until('the job is over', patienceMs, async () => job.isOver());
    waits.push(started - job.queuedAtEpochMs);
  }

  expect(waits.every((wait) => wait >= 0)).toBe(true);
});
