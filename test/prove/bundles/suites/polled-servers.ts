import { createHmac } from 'node:crypto';
import type { RunnerProvider } from '../../../../core/ci/ci-system-config.ts';
import { startFakeForgejo } from '../../../support/forgejo/start-fake-forgejo.ts';
import { hookHeaders, startFakeGitlab } from '../../../support/gitlab/start-fake-gitlab.ts';

/** A CI server that davit polls. */
export interface PolledServer {
  provider: RunnerProvider;
  /** The keys of its entry in `davit.yaml` without its secrets. */
  system: object;
  token: string;
  /** The headers of a webhook. */
  sign(secret: string, body: string): Record<string, string>;
  /** Queues a job with this label. @returns a function that cancels it */
  queue(label: string): () => void;
  countRunners(): number;
  countRequests(): number;
}

/** Starts a GitLab and a Forgejo. @param started stops them */
export async function startPolledServers(started: AsyncDisposableStack): Promise<PolledServer[]> {
  const [gitlab, forgejo] = await Promise.all([startFakeGitlab(), startFakeForgejo()]);
  for (const server of [gitlab, forgejo]) started.defer(() => server.stop());
  return [
    {
      provider: 'gitlab',
      system: { url: gitlab.url, group: 'acme', settleSeconds: 1 },
      token: gitlab.token,
      sign: hookHeaders,
      queue: (label) => {
        const job = gitlab.state.queue({ project: 'acme/app', name: 'build', tags: [label] });
        return () => gitlab.state.cancel(job);
      },
      countRunners: () => gitlab.state.runners.size,
      countRequests: () => gitlab.exchanges.length,
    },
    {
      provider: 'forgejo',
      system: { url: forgejo.url, scope: forgejo.scope },
      token: forgejo.token,
      sign: signBody,
      queue: (label) => {
        const job = forgejo.state.enqueue({ runsOn: [label] });
        return () => forgejo.state.cancel(job);
      },
      countRunners: () => forgejo.state.runners.size,
      countRequests: () => forgejo.exchanges.length,
    },
  ];
}

/** Signs a webhook as GitHub, Jenkins and Forgejo do. */
export function signBody(secret: string, body: string): Record<string, string> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
}
