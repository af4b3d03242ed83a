import { asCalled } from '../as-called.ts';
import { leaveOutUnused } from '../runtime/lean-kubernetes-client.ts';
import { demoHelp, readDemoArguments } from './arguments.ts';

// Only this user can read the files and directories of a run, from their creation on.
process.umask(0o077);
try {
  const options = readDemoArguments(process.argv.slice(2));
  if (options === 'help') console.log(asCalled(demoHelp));
  else {
    // A wrong option is answered without the runtime's modules.
    leaveOutUnused();
    const { runDemo } = await import('./run-demo.ts');
    process.exitCode = (await runDemo(options)) ? 0 : 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
