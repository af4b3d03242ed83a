import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import { WebSocketServer } from 'ws';
import { runInAgent } from '../../../cli/agent/run-in-agent.ts';
import { runCli } from '../../../cli/run-cli.ts';
import { listen } from '../../../local/loopback-server.ts';
import { json, kubeconfigOf, startFakeApiServer } from '../../support/fake-api-server.ts';
import { newFolder } from '../../support/new-folder.ts';
import { recordingTerminal } from '../../support/recording-terminal.ts';

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3 } as const;

/** An API server's part of `exec`, as `v5.channel.k8s.io` has it. The command repeats its input until that ends. */
async function startExec(status: object, refuse = false) {
  const asked: string[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    asked.push(request.url ?? '');
    if (refuse) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (connection) => {
      const send = (channel: number, words: string) =>
        connection.send(Buffer.from(`${String.fromCharCode(channel)}${words}`));
      const end = () => send(channels.status, JSON.stringify(status));
      connection.on('message', (data: Buffer) => {
        if (data[0] === channels.stdin) send(channels.stdout, data.subarray(1).toString());
        else end();
      });
      send(channels.stderr, 'warning\n');
      if (request.url?.includes('stdin=false') === true) end();
    });
  });
  const { port } = await listen(server, 0, '127.0.0.1');
  const config = new KubeConfig();
  config.loadFromString(kubeconfigOf(`http://127.0.0.1:${port}`));
  return {
    agent: { config, namespace: 'agents', pod: 'davit-api-1', container: 'agent' },
    asked,
    stop: () => server.close(),
  };
}

function streams(stdin: PassThrough | null) {
  return { stdin, stdout: new PassThrough(), stderr: new PassThrough(), isTerminal: false };
}

test('a command gets its input, and its output and exit code come back', async () => {
  const causes = [{ reason: 'ExitCode', message: '3' }];
  const server = await startExec({ status: 'Failure', reason: 'NonZeroExitCode', details: { causes } });
  const stdin = new PassThrough();
  const used = streams(stdin);
  stdin.end('hello\n');

  const exitCode = await runInAgent(server.agent, ['sh', '-c', 'cat; exit 3'], used);

  server.stop();
  expect(exitCode).toBe(3);
  expect(await text(used.stdout)).toBe('hello\n');
  expect(used.stderr.read()?.toString()).toBe('warning\n');
  expect(server.asked).toEqual([
    '/api/v1/namespaces/agents/pods/davit-api-1/exec?stdout=true&stderr=true&stdin=true&tty=false&command=sh&command=-c&command=cat%3B%20exit%203&container=agent',
  ]);
});

test('a command without input ends with code 0', async () => {
  const server = await startExec({ status: 'Success' });

  expect(await runInAgent(server.agent, ['true'], streams(null))).toBe(0);
  server.stop();
});

test('a cluster that opens no shell says so, with the right that it needs', async () => {
  const server = await startExec({}, true);

  await expect(runInAgent(server.agent, ['sh'], streams(null))).rejects.toMatchObject({
    code: 'exec-refused',
    reason: 'refused',
    message: 'the cluster opens no shell: Unexpected server response: 403',
    advice: expect.stringContaining('pods/exec'),
  });
  server.stop();
});

test('Ctrl-C ends davit exec while its command runs', async () => {
  const [davit, cluster] = await Promise.all([startFakeApiServer(), startFakeApiServer()]);
  const plan = { namespace: 'agents', cluster: 'builds' };
  davit.answer(json(200, { launchId: 'api-1', agentName: 'davit-api-1', status: 'connected', plan }));
  const begun = Promise.withResolvers<void>();
  cluster.answer((response, request) => {
    if (request.path.endsWith('/exec')) return begun.resolve();
    json(200, { spec: { containers: [{ name: 'agent' }] } })(response, request);
  });
  const folder = newFolder();
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(cluster.url));
  const interrupted = new AbortController();
  const places = ['--url', davit.url, '--token', 'x', '--kubeconfig', kubeconfig];
  const running = runCli(['exec', 'api-1', ...places, '--', 'sleep', '60'], recordingTerminal({}, interrupted.signal));
  await begun.promise;

  interrupted.abort();

  expect(await running).toBe(130);
  await Promise.all([davit.stop(), cluster.stop()]);
});
