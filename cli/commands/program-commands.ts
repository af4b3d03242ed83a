import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

/** Programs with their own command line, by the command that runs them. */
const programs = {
  demo: { path: '../../local/demo/main', about: 'show a launch from the webhook to the end, on this machine' },
  local: { path: '../../local/main', about: 'run davit on this machine, until Ctrl-C' },
  rbac: { path: '../rbac', about: 'print the rights that davit needs in a cluster, for kubectl apply' },
  'github-app': { path: '../github-app', about: 'make the GitHub App as which davit acts in an organization' },
} as const;

/** Adds the commands that run such programs. Each has its own options and help. */
export function addProgramCommands(program: Command): void {
  for (const [name, { path, about }] of Object.entries(programs)) {
    program
      .command(name)
      .description(about)
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .argument('[options...]', `see davit ${name} --help`)
      .action(async (args: string[]) => {
        process.exitCode = await run(name, path, args);
      });
  }
}

const enableCompileCache = new URL('../../local/enable-compile-cache.mjs', import.meta.url).href;

/** The terminal sends Ctrl-C to the program, too. This process waits until the program ends by itself. */
const ignore = () => undefined;

/** Runs a program in this one's place: its input, output and exit code. Signals of the terminal reach both. */
async function run(name: string, path: string, args: readonly string[]): Promise<number> {
  // A checkout runs the sources; a package has them compiled.
  const file = fileURLToPath(new URL(`${path}${extname(import.meta.url)}`, import.meta.url));
  const env = { ...process.env, DAVIT_COMMAND: `davit ${name}` };
  const child = spawn(process.execPath, ['--import', enableCompileCache, file, ...args], { stdio: 'inherit', env });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGTERM', passOn);
  process.on('SIGINT', ignore);
  const [code] = await once(child, 'exit');
  process.off('SIGTERM', passOn);
  process.off('SIGINT', ignore);
  return typeof code === 'number' ? code : 1;
}
