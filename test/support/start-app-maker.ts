import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../local/loopback-server.ts';
import { openApiCheck } from '../prove/ci/github/openapi-check.ts';

/**
 * A GitHub Enterprise Server that creates Apps from manifests. Its answers are checked against GitHub's own
 * description.
 */
export interface AppMaker extends LoopbackServer {
  /** The manifests that browsers submitted. */
  manifests: unknown[];
  /** The number of attempts to exchange a code. */
  exchanges: number;
  /** While set, exchanges get this answer instead. */
  failWith?: { status: number; body: unknown } | undefined;
  /** Overrides fields of the App in the answer. */
  change: Record<string, unknown>;
  /** Resolves at the first exchange. */
  asked: Promise<void>;
  /** Exchanges wait for this promise. */
  hold: Promise<void>;
  /** Every violation of GitHub's description. */
  problems: string[];
  app: { pem: string; webhook_secret: string; client_secret: string };
}

const Description = z.object({ components: z.object({ examples: z.record(z.string(), z.looseObject({})) }) });
const description = Description.parse(
  JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json'), 'utf8'),
  ),
);
const example = z
  .looseObject({ pem: z.string(), webhook_secret: z.string(), client_secret: z.string() })
  .parse(description.components.examples['integration-from-manifest']?.['value']);

/** Starts it, with one organization. */
export async function startAppMaker(organization: string): Promise<AppMaker> {
  const check = openApiCheck();
  const codes = new Set<string>();
  const { promise: asked, resolve: resolveAsked } = Promise.withResolvers<void>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const sent = await text(request);
    if (request.method === 'POST' && pathname === `/organizations/${organization}/settings/apps/new`) {
      const manifest = z.looseObject({ redirect_url: z.url() }).parse(JSON.parse(manifestOf(sent)));
      maker.manifests.push(manifest);
      const code = randomUUID();
      codes.add(code);
      const back = new URL(manifest.redirect_url);
      back.search = String(new URLSearchParams({ code, state: searchParams.get('state') ?? '' }));
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const apiPath = pathname.replace(/^\/api\/v3/, '');
    const { status, body } = await exchange(/^\/app-manifests\/([^/]+)\/conversions$/.exec(apiPath)?.[1] ?? '');
    const exchanged = {
      method: request.method ?? '',
      path: apiPath,
      requestBody: undefined,
      status,
      responseBody: body,
    };
    maker.problems.push(...check(exchanged));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async function exchange(code: string): Promise<{ status: number; body: unknown }> {
    maker.exchanges += 1;
    resolveAsked();
    await maker.hold;
    if (maker.failWith !== undefined) return maker.failWith;
    if (!codes.delete(code)) return { status: 404, body: { message: 'Not Found' } };
    const made = { id: 4711, slug: 'davit-acme', name: 'davit-acme', html_url: `${maker.url}/github-apps/davit-acme` };
    return { status: 201, body: { ...example, ...made, ...maker.change } };
  }

  const server = await startLoopbackServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      maker.problems.push(String(error));
      response.destroy();
    });
  });
  const maker: AppMaker = {
    ...server,
    manifests: [],
    exchanges: 0,
    change: {},
    asked,
    hold: Promise.resolve(),
    problems: [],
    app: example,
  };
  return maker;
}

function manifestOf(form: string): string {
  return new URLSearchParams(form).get('manifest') ?? '';
}
