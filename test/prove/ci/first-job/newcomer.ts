import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { runProcess } from '../../../../scripts/run-process.ts';
import { startProgram } from '../../../e2e/davit-process.ts';
import { buildActRunner } from '../../cluster/programs/programs.ts';
import type { Gitea } from '../gitea/start-gitea.ts';

/** A person who tries davit for the first time, in an empty folder. */
export interface Newcomer extends AsyncDisposable {
  folder: string;
  /**
   * Types a command. A command that runs davit stays open until the end, as in a separate terminal.
   *
   * @returns its output
   * @throws Error with its output, when it fails
   */
  type(command: string): Promise<string>;
}

/** The differences from a newcomer's machine. */
export interface NewcomerOptions {
  env: Readonly<Record<string, string>>;
  /** Appended to davit's commands, by command name: a port that is free here. */
  more: Readonly<Record<string, readonly string[]>>;
  /** The shell commands that stand in for the agents' programs, by the names of these. */
  programs: Readonly<Record<string, string>>;
}

const path = (name: string) => join(rootFolder, name);

/** Makes an empty folder, and a newcomer's programs: davit, and those of agents. */
export async function startNewcomer({ env, more, programs }: NewcomerOptions): Promise<Newcomer> {
  const started = new AsyncDisposableStack();
  const bin = await temporaryFolder(started);
  const folder = await temporaryFolder(started);
  const node = process.execPath;
  const cases = Object.entries(more).map(([name, words]) => `  ${name}) set -- "$@" ${words.join(' ')} ;;\n`);
  await writeProgram(bin, 'davit', `case $1 in\n${cases.join('')}esac\nexec ${node} ${path('cli/davit.ts')} "$@"`);
  for (const [name, command] of Object.entries(programs)) await writeProgram(bin, name, `exec ${command} "$@"`);
  const { KUBECONFIG: _none, ...inherited } = process.env;
  const own = { ...inherited, ...env, PATH: [bin, process.env['PATH'] ?? ''].join(delimiter) };
  // Variables that a command sets stay for the next one, as in a terminal.
  const kept = join(bin, 'kept');
  await writeFile(kept, '');

  async function stayOpen([, ...words]: string[]): Promise<string> {
    const program = startProgram(path('cli/davit.ts'), [...words, ...(more['local'] ?? [])], own, folder);
    started.defer(async () => void (await program.kill('SIGTERM')));
    const [ready] = await program.detail(/^ {2}logs /);
    return ready;
  }
  async function run(command: string): Promise<string> {
    const script = `. ${kept}\nset -eo pipefail\n${command}\nset | grep '^URL=' > ${kept} || true`;
    const { exitCode, output } = await runProcess('bash', ['--norc', '-c', script], { cwd: folder, env: own });
    if (exitCode !== 0) throw new Error(`${command}\nended with ${exitCode}: ${output}`);
    return output;
  }
  return {
    folder,
    type: (command) => (command.startsWith('davit local') ? stayOpen(command.split(' ')) : run(command)),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** A newcomer with a Gitea, whose agents run on this machine. */
export async function startNewcomerWith({ url, adminToken }: Gitea): Promise<Newcomer> {
  return startNewcomer({
    env: { GITEA: url, GITEA_TOKEN: adminToken },
    more: { local: ['--listen', '127.0.0.1:0'] },
    programs: { act_runner: await buildActRunner() },
  });
}

async function temporaryFolder(started: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'davit-newcomer-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function writeProgram(folder: string, name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
}
