import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An answer from the connect endpoint. */
export interface ConnectAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** Closes the connection in the middle of the body. */
  isCut?: boolean;
}

/** The result of a preset's container. */
export interface PresetRun {
  /** The exit code. */
  code: number | null;
  /** The runner's description of itself; empty when it was not started. */
  output: string;
  errors: string;
  /** The seconds of each pause. */
  pauses: string[];
  requests: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[];
}

/** How to run a preset's container. */
export interface PresetOptions {
  command: readonly string[];
  /** The HTTP client in the image. */
  client: 'curl' | 'wget' | undefined;
  /** The server's answers in order; the last one repeats. */
  answers: readonly ConnectAnswer[];
  /** The runner's program and its script. It runs in the container's working directory. */
  runner: { path: string; script: string };
  /** Starts the server only after the first pause. */
  isLate?: boolean;
}

const tools = ['sed', 'mktemp', 'mkfifo', 'rm', 'cat', 'tr', 'base64', 'sh', 'env'];

/**
 * Runs a preset's command as a container of its image would, with either curl or wget, against a local HTTP server. It
 * records pauses and shortens them.
 */
export async function runPreset(options: PresetOptions): Promise<PresetRun> {
  const directory = await mkdtemp(join(tmpdir(), 'davit-preset-'));
  const requests: PresetRun['requests'] = [];
  const server = createServer((request, response) => {
    const answer = options.answers[Math.min(requests.length, options.answers.length - 1)];
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    const { status, headers, body = '', isCut = false } = answer ?? { status: 500 };
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) + (isCut ? 1 : 0) });
    if (isCut) response.write(body, () => response.destroy());
    else response.end(body);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  if (options.isLate) await close();
  try {
    await fill(directory, options);
    const child = spawn(options.command[0] ?? '', options.command.slice(1), {
      cwd: directory,
      env: {
        PATH: directory,
        TMPDIR: directory,
        PAUSES: join(directory, 'pauses'),
        DAVIT_AGENT_NAME: 'davit-github-1-2-1',
        DAVIT_CONNECT_URL: `http://127.0.0.1:${port}/agents/davit-github-1-2-1/connect`,
        DAVIT_CREDENTIAL: 'credential-of-the-agent',
      },
    });
    const [output, errors] = [text(child.stdout), text(child.stderr)];
    if (options.isLate) child.stderr.once('data', () => void listen(port));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const pauses = await readFile(join(directory, 'pauses'), 'utf8').catch(() => '');
    return {
      code,
      output: output(),
      errors: errors(),
      pauses: pauses.split('\n').filter((line) => line !== ''),
      requests,
    };
  } finally {
    if (server.listening) await close();
    await rm(directory, { recursive: true });
  }
}

async function fill(directory: string, { client, runner }: PresetOptions): Promise<void> {
  for (const tool of client === undefined ? tools : [client, ...tools]) await link(tool, directory);
  const sleep = `#!/bin/sh\necho "$1" >>"$PAUSES"\nexec /bin/sleep 0.05\n`;
  for (const [path, script] of [
    ['sleep', sleep],
    [runner.path, runner.script],
  ] as const) {
    await writeFile(join(directory, path), script);
    await chmod(join(directory, path), 0o755);
  }
}

async function link(tool: string, directory: string): Promise<void> {
  for (const from of ['/usr/bin', '/bin']) {
    const isThere = await readFile(join(from, tool)).then(
      () => true,
      () => false,
    );
    if (isThere) return symlink(join(from, tool), join(directory, tool));
  }
  throw new Error(`this machine has no ${tool}`);
}

function text(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
