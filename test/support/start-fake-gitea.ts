import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../local/loopback-server.ts';

/** A webhook of a Gitea. */
export interface GiteaWebhook {
  id: number;
  url: string;
  secret: string;
  events: string[];
  active: boolean;
  /** `orgs/NAME` or `repos/OWNER/NAME`. */
  place: string;
}

/** The webhooks' part of Gitea's API. */
export interface FakeGitea extends LoopbackServer {
  hooks: GiteaWebhook[];
  /** Answers each request, until it is undefined. */
  refusal?: { status: number; message: string };
}

const Body = z.object({
  type: z.literal('gitea'),
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({ url: z.string(), content_type: z.literal('json'), secret: z.string() }),
});

/** Starts a Gitea that only has webhooks. As the real one does, it shows no secret. */
export async function startFakeGitea(): Promise<FakeGitea> {
  let made = 0;

  async function reply(method: string, url: URL, sent: string): Promise<[status: number, body?: unknown]> {
    if (gitea.refusal !== undefined) return [gitea.refusal.status, { message: gitea.refusal.message }];
    const [, place, id] = /^\/api\/v1\/(.+)\/hooks(?:\/(\d+))?$/.exec(url.pathname) ?? [];
    if (place === undefined) return [404, { message: 'The target could not be found.' }];
    if (method === 'GET') {
      const isFirst = url.searchParams.get('page') === '1';
      return [200, isFirst ? gitea.hooks.filter((hook) => hook.place === place).map(bodyOf) : []];
    }
    if (method === 'DELETE') {
      gitea.hooks = gitea.hooks.filter((hook) => hook.id !== Number(id));
      return [204];
    }
    const { config, active, events } = Body.parse(JSON.parse(sent));
    made += 1;
    const hook = { id: made, url: config.url, secret: config.secret, events, active, place };
    gitea.hooks.push(hook);
    return [201, bodyOf(hook)];
  }

  const server = await startLoopbackServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    void text(request)
      .then((sent) => reply(request.method ?? '', url, sent))
      .catch((error: unknown) => [500, { message: String(error) }] as const)
      .then(([status, body]) => response.writeHead(status).end(body === undefined ? undefined : JSON.stringify(body)));
  });
  const gitea: FakeGitea = { ...server, hooks: [] };
  return gitea;
}

function bodyOf({ id, url, events, active }: GiteaWebhook): unknown {
  return { id, type: 'gitea', active, events, config: { url, content_type: 'json' } };
}
