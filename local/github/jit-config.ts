import * as z from 'zod';
import type { GithubRunner } from './github-state.ts';

const Files = z.record(z.string(), z.base64());
const Credentials = z.object({ data: z.object({ url: z.url() }) });

/**
 * Makes a JIT configuration in GitHub's form: the runner's files, each in base64, in one JSON object, in base64. The
 * contents are those of the local GitHub: its runner needs only a URL.
 *
 * @see https://github.com/actions/runner/blob/main/src/Runner.Listener/Runner.cs
 */
export function jitConfigOf({ id, name, secret }: GithubRunner, url: string): string {
  const files = {
    '.runner': { agentId: id, agentName: name, ephemeral: true, serverUrl: url },
    '.credentials': { scheme: 'OAuth', data: { url: `${url}/_runner/${id}/${secret}` } },
    '.credentials_rsaparams': { d: secret },
  };
  const encoded = Object.entries(files).map(([file, content]) => [file, base64(JSON.stringify(content))] as const);
  return base64(JSON.stringify(Object.fromEntries(encoded)));
}

/** Reads the URL that a runner with this JIT configuration calls. */
export function runnerUrlIn(jitConfig: string): string {
  const { '.credentials': credentials = '' } = Files.parse(JSON.parse(textOf(jitConfig)));
  return Credentials.parse(JSON.parse(textOf(credentials))).data.url;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function textOf(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString();
}
