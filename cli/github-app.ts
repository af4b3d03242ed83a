/** Makes the GitHub App as which davit acts in an organization: `davit github-app`. */
import { ArgumentError } from '../local/read-arguments.ts';
import { githubAppHelp, readGithubAppArguments } from './github-app/arguments.ts';
import { makeGithubApp } from './github-app/make-github-app.ts';
import { appManifest } from './github-app/manifest.ts';
import { FolderError } from './github-app/secret-folder.ts';
import { onClosedPipe } from './on-closed-pipe.ts';

/** GitHub's own limit for the whole flow. */
const timeoutMs = 60 * 60_000;

/** The wait ended from outside, by an interrupt or the time limit. */
class Stopped extends Error {
  override readonly name = 'Stopped';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

const stop = new AbortController();
const timeout = setTimeout(() => stop.abort(new Stopped('Stopped after an hour: no App was made.', 1)), timeoutMs);
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => stop.abort(new Stopped('Stopped: no App was made.', exitCode)));
}

onClosedPipe(process.stdout);
try {
  const options = readGithubAppArguments(process.argv.slice(2));
  if (options === 'help') process.stdout.write(githubAppHelp);
  else if (options.printOnly) process.stdout.write(`${JSON.stringify(appManifest(options), undefined, 2)}\n`);
  else await makeGithubApp(options, { print: (text) => process.stdout.write(text), signal: stop.signal });
} catch (error) {
  const isOfPort = error instanceof Error && 'syscall' in error && error.syscall === 'listen';
  const isKnown = error instanceof ArgumentError || error instanceof FolderError || error instanceof Stopped;
  if (!isKnown && !isOfPort) throw error;
  process.stderr.write(`${isOfPort ? '--port: ' : ''}${error.message}\n`);
  process.exitCode = error instanceof Stopped ? error.exitCode : 2;
} finally {
  clearTimeout(timeout);
}
