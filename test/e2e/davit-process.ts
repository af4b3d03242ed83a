import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { createLaunchesClient, type LaunchesClient } from '../support/launches-client.ts';
import { until } from '../support/until.ts';

/** A program's output and exit code. */
export interface Ended {
  exitCode: number | null;
  stdout: readonly string[];
  stderr: readonly string[];
}

/** A program in a separate process. */
export interface Program extends AsyncDisposable {
  /** Waits for a line of its output. @throws Error with its output when it ends without that line */
  detail(line: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): Promise<Ended>;
  ended: Promise<Ended>;
}

/** A local runtime in a separate process. */
export interface DavitProcess extends Program {
  url: string;
  launches: LaunchesClient;
}

/** Starts one of davit's programs. @param cwd its working directory. @default this process's own */
export function startProgram(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = process.cwd(),
): Program {
  const { KUBECONFIG: _none, ...inherited } = process.env;
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = linesOf(createInterface({ input: child.stdout }));
  const error = linesOf(createInterface({ input: child.stderr }));
  const ended = once(child, 'close').then(() => ({
    exitCode: child.exitCode,
    stdout: out.lines,
    stderr: error.lines,
  }));
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  const said = () => [...out.lines, ...error.lines].join('\n');
  const endedFirst = (line: RegExp) =>
    ended.then(({ exitCode }) => Promise.reject(new Error(`${script} ended (${exitCode}) before ${line}:\n${said()}`)));
  return {
    detail: (line) =>
      Promise.race([
        until({
          subscribe: out.subscribe,
          look: () => out.lines.map((text) => line.exec(text)).find((match) => match !== null) ?? undefined,
          missing: () => `${script} has not printed ${line}:\n${said()}`,
        }),
        endedFirst(line),
      ]),
    kill,
    ended,
    [Symbol.asyncDispose]: async () => {
      await kill('SIGKILL');
    },
  };
}

/** Starts a local runtime and waits until it listens. */
export async function startDavitProcess(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<DavitProcess> {
  const program = startProgram('local/main.ts', args, env);
  const [, url = ''] = await program.detail(/^davit listens at (\S+);/);
  const [, token = ''] = await program.detail(/^ {2}launches .*Bearer ([\w-]+)'/);
  await program.detail(/^ {2}logs /);
  return { ...program, url, launches: createLaunchesClient(url, token) };
}

function linesOf(reader: Interface) {
  const lines: string[] = [];
  reader.on('line', (line) => lines.push(line));
  const subscribe = (changed: () => void) => {
    reader.on('line', changed);
    return () => void reader.off('line', changed);
  };
  return { lines, subscribe };
}
