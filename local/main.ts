import { asCalled } from './as-called.ts';
import { type RuntimeArguments, readRuntimeArguments, runtimeHelp } from './runtime/arguments.ts';
import { prepareThread } from './runtime/prepare-thread.ts';

async function start(options: RuntimeArguments): Promise<void> {
  await using thread = options.bundles === undefined ? prepareThread() : undefined;
  // Loads the runtime while the thread loads the functions' libraries.
  const { run } = await import('./run.ts');
  await run(options, thread);
}

// Only this user can read the files and directories of a run, from their creation on.
process.umask(0o077);
try {
  const options = readRuntimeArguments(process.argv.slice(2));
  if (options === 'help') console.log(asCalled(runtimeHelp));
  else await start(options);
} catch (error) {
  const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(error instanceof Error ? error.message : error);
  if (isInUse) console.error('--listen: name another HOST:PORT, or end what listens there');
  process.exitCode = 2;
}
