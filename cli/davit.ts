#!/usr/bin/env node
import { runCli } from './run-cli.ts';
import { processTerminal } from './terminal.ts';

// A reader may close the pipe early: `davit list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.exitCode = (await runCli(process.argv.slice(2), processTerminal(interrupted.signal))) ?? process.exitCode ?? 0;
