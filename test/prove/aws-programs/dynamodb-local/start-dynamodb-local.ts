import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoopbackServer } from '../../../../local/loopback-server.ts';
import { fetchLibraries } from '../java.ts';

/** A running DynamoDB Local. */
export interface DynamoDbLocal extends AsyncDisposable {
  url: string;
}

/**
 * Starts DynamoDB Local with its tables in memory.
 *
 * @throws Error with what it printed, when it ends instead of answering
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html
 */
export async function startDynamoDbLocal(): Promise<DynamoDbLocal> {
  const libraries = await fetchLibraries('dynamodb-local');
  const port = await freePort();
  const java = [`-Djava.library.path=${libraries}`, '-cp', join(libraries, '*')];
  const server = ['com.amazonaws.services.dynamodbv2.local.main.ServerRunner', '-inMemory', '-sharedDb'];
  const args = [...java, ...server, '-disableTelemetry', '-port', String(port)];
  const child = spawn('java', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk));
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (isOver(child)) throw new Error(`DynamoDB Local ended:\n${Buffer.concat(printed).toString()}`);
    await sleep(100);
  }
  return { url, [Symbol.asyncDispose]: () => stop(child) };
}

/** DynamoDB Local takes no port 0. */
async function freePort(): Promise<number> {
  await using server = await startLoopbackServer(() => {});
  return server.port;
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (isOver(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
