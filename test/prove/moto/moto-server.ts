import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { LOCAL_ACCOUNT_ID } from '../../../local/gateway/local-caller.ts';
import { python } from './python.ts';

/** A running moto: an independent implementation of AWS's APIs, all at one address. */
export interface MotoServer extends AsyncDisposable {
  url: string;
}

/**
 * Starts moto's server.
 *
 * @param lambdaUrl the URL of its state machines' functions. moto's interpreter then runs state machines, and calls
 * Lambda at the port of MOTO_PORT, by default its own.
 * @default state machines are stored and do not run
 * @throws Error with its output, when it ends instead of listening
 * @see https://docs.getmoto.org/en/latest/docs/configuration/index.html
 */
export async function startMoto(lambdaUrl?: string): Promise<MotoServer> {
  const lambdaPort = lambdaUrl === undefined ? {} : { MOTO_PORT: new URL(lambdaUrl).port };
  const env = { ...process.env, ...lambdaPort, MOTO_ACCOUNT_ID: LOCAL_ACCOUNT_ID };
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await using started = new AsyncDisposableStack();
  started.defer(() => stop(child));
  const url = await listeningUrl(child);
  if (lambdaUrl !== undefined) await turnInterpreterOn(url);
  const running = started.move();
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function turnInterpreterOn(url: string): Promise<void> {
  const body = JSON.stringify({ stepfunctions: { execute_state_machine: true } });
  const configured = await fetch(`${url}/moto-api/config`, { method: 'POST', body });
  if (!configured.ok) throw new Error(`moto cannot be configured: ${await configured.text()}`);
}

/** Reads its log to the end, so that it never blocks on a full pipe. */
async function listeningUrl(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error("moto's log cannot be read");
  const said: string[] = [];
  const lines = createInterface(child.stderr);
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const url = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (url === undefined) said.push(line);
      else resolve(url);
    });
    lines.once('close', () => reject(new Error(`moto ended: ${said.join('\n')}`)));
    child.once('error', reject);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
