import { Worker } from 'node:worker_threads';
import { adapterUrls } from '../../../aws/runtime/prepare-thread.ts';

/** Loads modules, and answers which environment variables they read meanwhile. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads');
  const read = new Set();
  process.env = new Proxy({}, { get: (_, name) => void read.add(String(name)) });
  Promise.all(workerData.map((url) => import(url))).then(() => parentPort.postMessage([...read]));
`;

/** The variables that a function has, but for two switches of the AWS SDK that no function has. */
const ofFunctions = /^(DAVIT_|POWERTOOLS_|AWS_(?!LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA$|LAMBDA_BENCHMARK_MODE$))/;

test("no adapter reads a function's environment while it loads, because it can load before", async () => {
  const urls = adapterUrls();
  const enableCompileCache = new URL('../../../../local/enable-compile-cache.mjs', import.meta.url).href;
  const worker = new Worker(program, { eval: true, workerData: urls, execArgv: ['--import', enableCompileCache] });

  const read = await new Promise<string[]>((resolve, reject) => worker.once('message', resolve).once('error', reject));

  await worker.terminate();
  expect(urls.length).toBeGreaterThan(20);
  expect(read).toContain('UNDICI_NO_WASM_SIMD');
  expect(read.filter((name) => ofFunctions.test(name))).toEqual([]);
});
