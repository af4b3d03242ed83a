import { asCalled } from './as-called.ts';
import { readRuntimeArguments, runtimeHelp } from './runtime/arguments.ts';
import { leaveOutUnused } from './runtime/lean-kubernetes-client.ts';

// Only this user can read the files and directories of a run, from their creation on.
process.umask(0o077);
try {
  const options = readRuntimeArguments(process.argv.slice(2));
  if (options === 'help') console.log(asCalled(runtimeHelp));
  else {
    // A wrong option is answered without the runtime's modules.
    leaveOutUnused();
    const { run } = await import('./run.ts');
    await run(options);
  }
} catch (error) {
  const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(error instanceof Error ? error.message : error);
  if (isInUse) console.error('--listen: name another HOST:PORT, or end what listens there');
  process.exitCode = 2;
}
