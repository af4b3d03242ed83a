import { on } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { runSeeds } from './run-seeds.ts';
import { isFaultKind } from './world/fault-kinds.ts';

// One thread of the simulation: is sent spans of seeds, and sends back what each came to.
const Scenario = z.object({
  plan: z.map(z.string().refine(isFaultKind), z.number()).exactOptional(),
  jobs: z.number().exactOptional(),
});
const SeedSpan = z.object({ fromSeed: z.number(), seeds: z.number() });

if (parentPort === null) throw new Error('this is a thread of the simulation, and no program');
const scenario = Scenario.parse(workerData);
for await (const [span] of on(parentPort, 'message')) {
  parentPort.postMessage(await runSeeds(SeedSpan.parse(span), scenario), []);
}
