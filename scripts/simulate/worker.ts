import { parentPort, workerData } from 'node:worker_threads';
import type { Scenario } from '../../test/simulation/run-seed.ts';
import { runSeeds, type SeedSpan } from '../../test/simulation/run-seeds.ts';

// One thread of the simulation: is sent spans of seeds, and sends back what each came to.
const scenario = workerData as Scenario;
parentPort?.on('message', async (span: SeedSpan) => parentPort?.postMessage(await runSeeds(span, scenario)));
