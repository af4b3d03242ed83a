import { asCalled } from '../as-called.ts';
import { prepareThread } from '../runtime/prepare-thread.ts';
import { type DemoArguments, demoHelp, readDemoArguments } from './arguments.ts';

async function start(options: DemoArguments): Promise<boolean> {
  await using thread = options.bundles === undefined ? prepareThread() : undefined;
  // Loads the runtime while the thread loads the functions' libraries.
  const { runDemo } = await import('./run-demo.ts');
  return await runDemo(options, thread);
}

// Only this user can read the files and directories of a run, from their creation on.
process.umask(0o077);
try {
  const options = readDemoArguments(process.argv.slice(2));
  if (options === 'help') console.log(asCalled(demoHelp));
  else process.exitCode = (await start(options)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
