import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../local/loopback-server.ts';

/** A webhook of a Gitea. */
export interface GiteaWebhook {
  url: string;
  secret: string;
  events: string[];
  active: boolean;
  /** `orgs/NAME` or `repos/OWNER/NAME`. */
  place: string;
}

/** The webhooks' part of Gitea's API. */
export interface FakeGitea extends LoopbackServer {
  /** By their ids. */
  hooks: GiteaWebhook[];
  /** Answers each request, until it is undefined. */
  refusal?: { status: number; message: string };
}

const Body = z.object({
  type: z.literal('gitea').optional(),
  active: z.boolean(),
  events: z.array(z.string()),
  config: z.object({ url: z.string(), content_type: z.literal('json'), secret: z.string() }),
});

/** Starts a Gitea that only has webhooks. As the real one does, it shows no secret. */
export async function startFakeGitea(): Promise<FakeGitea> {
  const hooks: GiteaWebhook[] = [];
  const server = await startLoopbackServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (gitea.refusal !== undefined) {
      answer(gitea.refusal.status, { message: gitea.refusal.message });
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [, place = '', id] = /^\/api\/v1\/(.+)\/hooks(?:\/(\d+))?$/.exec(pathname) ?? [];
    if (place === '') {
      answer(404, { message: 'The target could not be found.' });
      return;
    }
    if (request.method === 'GET') {
      const isFirst = searchParams.get('page') === '1';
      answer(200, isFirst ? hooks.flatMap((hook, at) => (hook.place === place ? [bodyOf(hook, at)] : [])) : []);
      return;
    }
    text(request).then(
      (sent) => {
        const { config, active, events } = Body.parse(JSON.parse(sent));
        const hook = { url: config.url, secret: config.secret, events, active, place };
        const at = id === undefined ? hooks.length : Number(id);
        hooks[at] = hook;
        answer(id === undefined ? 201 : 200, bodyOf(hook, at));
      },
      answer.bind(undefined, 500),
    );
  });
  const gitea: FakeGitea = { ...server, hooks };
  return gitea;
}

function bodyOf({ url, events, active }: GiteaWebhook, id: number): unknown {
  return { id, type: 'gitea', active, events, config: { url, content_type: 'json' } };
}
