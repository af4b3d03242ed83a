import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { RunnerProvider } from '../core/ci/ci-system-config.ts';
import { runSeeds } from './run-seeds.ts';
import { isFaultKind } from './world/fault-kinds.ts';

// One thread of the simulation: receives spans of seeds, and sends back the results of each.
const Scenario = z.object({
  plan: z.map(z.string().refine(isFaultKind), z.number()).exactOptional(),
  jobs: z.number().exactOptional(),
  queued: z.number().exactOptional(),
  ci: z.enum([...RunnerProvider.options, 'webhooks']).exactOptional(),
  times: z.int().exactOptional(),
  isMixed: z.boolean().exactOptional(),
});
const SeedSpan = z.object({ fromSeed: z.number(), seeds: z.number() });

if (parentPort === null) throw new Error('this is a thread of the simulation, and no program');
const scenario = Scenario.parse(workerData);
// Without this, a fifth of the time goes into stacks that no one reads. A broken seed runs again outside this thread.
Error.stackTraceLimit = 0;
for await (const [span] of on(parentPort, 'message')) {
  parentPort.postMessage(await runSeeds(SeedSpan.parse(span), scenario), []);
}
