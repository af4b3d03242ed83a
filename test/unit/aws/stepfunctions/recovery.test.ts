import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import * as z from 'zod';
import { lambdaClient, sfnClient } from '../fixtures/aws-clients.ts';
import { ended, historyOf, run } from '../fixtures/ended-execution.ts';
import { fixturePath } from '../fixtures/probe-host.ts';
import { startProbeService } from '../fixtures/probe-service.ts';

const Listening = z.object({ stepFunctions: z.string(), lambda: z.string(), stateMachineArn: z.string() });
const Line = z.union([Listening, z.object({ ran: z.json() })]);

/** The process of `killable-service.ts`, line by line. */
class KillableService {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(directory: string, behaviour: 'wait' | 'answer') {
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    this.#process = spawn(process.execPath, [fixturePath('killable-service.ts'), directory, behaviour], {
      stdio: [...stdio],
    });
    if (!this.#process.stdout) throw new Error('the process has no stdout');
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async nextLine(): Promise<z.output<typeof Line>> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the process has ended');
    return Line.parse(JSON.parse(value));
  }

  async listening(): Promise<z.output<typeof Listening>> {
    return Listening.parse(await this.nextLine());
  }

  async kill(): Promise<void> {
    if (this.#process.signalCode !== null || this.#process.exitCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

const newDirectory = () => mkdtemp(join(tmpdir(), 'davit-recovery-'));

describe('after kill -9 in the middle', () => {
  test('a running execution runs again from its first state, and its history says so', async () => {
    const directory = await newDirectory();
    await using killed = new KillableService(directory, 'wait');
    const { stepFunctions, stateMachineArn } = await killed.listening();
    const start = new StartExecutionCommand({ stateMachineArn, name: 'job-1', input: '{"n":1}' });
    const { executionArn, startDate } = await sfnClient(stepFunctions).send(start);
    expect(await killed.nextLine()).toEqual({ ran: { n: 1 } });
    await killed.kill();

    await using service = await startProbeService({
      journalPath: join(directory, 'executions.jsonl'),
      states: { First: { Type: 'Pass', Next: 'Second' }, Second: { Type: 'Pass', End: true } },
    });

    const description = await ended(service, executionArn);
    const types = (await historyOf(service, executionArn)).map(({ type }) => type);
    expect(description).toMatchObject({ status: 'SUCCEEDED', input: '{"n":1}', startDate, redriveCount: 1 });
    expect(types.slice(0, 3)).toEqual(['ExecutionStarted', 'ExecutionRedriven', 'PassStateEntered']);
    expect(service.server.execution('job-1')?.statesEntered).toBe(2);
  });

  test('an accepted asynchronous invocation runs again', async () => {
    const directory = await newDirectory();
    await using killed = new KillableService(directory, 'wait');
    const { lambda } = await killed.listening();
    const Payload = Buffer.from('{"n":2}');
    await lambdaClient(lambda).send(new InvokeCommand({ FunctionName: 'probe', InvocationType: 'Event', Payload }));
    await killed.kill();

    await using restarted = new KillableService(directory, 'answer');

    expect(await restarted.nextLine()).toEqual({ ran: { n: 2 } });
  });
});

describe('after a restart', () => {
  test('an ended execution answers as before, and its name stays taken', async () => {
    const journalPath = join(await newDirectory(), 'executions.jsonl');
    const first = await startProbeService({ journalPath });
    const before = await run(first, { n: 1 }, 'job-1');
    const historyBefore = await historyOf(first, before.executionArn);
    await first[Symbol.asyncDispose]();

    await using second = await startProbeService({ journalPath });

    const { $metadata: _before, ...expected } = before;
    expect(await ended(second, before.executionArn)).toMatchObject(expected);
    expect(await historyOf(second, before.executionArn)).toEqual(historyBefore);
    await expect(run(second, { n: 1 }, 'job-1')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
  });

  test('an execution that ran when the service was stopped is recovered, not failed', async () => {
    const journalPath = join(await newDirectory(), 'executions.jsonl');
    const first = await startProbeService({ journalPath, invokeFunction: () => new Promise(() => undefined) });
    const { stateMachineArn } = first.server;
    const { executionArn } = await first.sfn.send(new StartExecutionCommand({ stateMachineArn, name: 'job-1' }));
    await first[Symbol.asyncDispose]();

    await using second = await startProbeService({ journalPath });

    expect(await ended(second, executionArn)).toMatchObject({ status: 'SUCCEEDED', redriveCount: 1 });
  });

  test('a torn last line of the journal loses no acknowledged request', async () => {
    const journalPath = join(await newDirectory(), 'executions.jsonl');
    const first = await startProbeService({ journalPath });
    const { executionArn } = await run(first, {}, 'job-1');
    await first[Symbol.asyncDispose]();
    await appendFile(journalPath, '{"execution":{"name":"job-2"');

    await using second = await startProbeService({ journalPath });

    expect((await ended(second, executionArn)).status).toBe('SUCCEEDED');
    expect((await run(second, {}, 'job-2')).status).toBe('SUCCEEDED');
  });

  test('the listener gets recovered executions from their first event', async () => {
    const journalPath = join(await newDirectory(), 'executions.jsonl');
    const first = await startProbeService({ journalPath, invokeFunction: () => new Promise(() => undefined) });
    const { stateMachineArn } = first.server;
    await first.sfn.send(new StartExecutionCommand({ stateMachineArn, name: 'job-1' }));
    await first[Symbol.asyncDispose]();
    const heard: string[] = [];

    await using second = await startProbeService({
      journalPath,
      onEvent: ({ type }, { name }) => heard.push(`${name} ${type}`),
    });
    await ended(second, `arn:aws:states:us-east-1:000000000000:execution:probe:job-1`);

    expect(heard.slice(0, 2)).toEqual(['job-1 ExecutionStarted', 'job-1 ExecutionRedriven']);
    expect(heard.at(-1)).toBe('job-1 ExecutionSucceeded');
  });
});
