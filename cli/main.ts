import { exitCodes } from './exit-codes.ts';
import { onClosedPipe } from './on-closed-pipe.ts';
import { runCli } from './run-cli.ts';
import { processTerminal } from './terminal.ts';

// A reader may close the pipe early: `davit list | head -1`, and with `2>&1` both.
onClosedPipe(process.stdout, () => process.exit());
onClosedPipe(process.stderr);

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const exitCode = await runCli(process.argv.slice(2), processTerminal(interrupted.signal));
// A request that nobody waits for any more would keep the process alive.
if (exitCode === exitCodes.interrupted.code) process.exit(exitCode);
process.exitCode = exitCode ?? process.exitCode ?? 0;
