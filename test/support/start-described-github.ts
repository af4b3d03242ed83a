import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../local/loopback-server.ts';
import { openApiCheck } from '../prove/ci/github/openapi-check.ts';

/** A GitHub that answers as its description's own examples do. */
export interface DescribedGithubServer extends LoopbackServer {
  /** `POST /repos/acme/app/git/refs`, and the body where there is one. */
  requests: string[];
  /** Every violation of GitHub's description. */
  problems: string[];
}

const api = '/api/v3';
const Examples = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ examples: z.record(z.string(), z.looseObject({ value: z.unknown() })) }),
});
const Operation = z.looseObject({
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.unknown()).optional() })),
});
const Content = z.looseObject({
  examples: z
    .record(z.string(), z.looseObject({ $ref: z.string().optional(), value: z.unknown().optional() }))
    .optional(),
});

/** Starts it. @param change changes an example before it is sent. @param request as in `requests`, without the body */
export async function startDescribedGithub(
  change: (request: string, example: unknown) => unknown,
): Promise<DescribedGithubServer> {
  const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json');
  const { paths, components } = Examples.parse(JSON.parse(readFileSync(file, 'utf8')));
  const check = openApiCheck();
  const requests: string[] = [];
  const problems: string[] = [];

  function exampleOf(method: string, path: string): { status: number; example: unknown } {
    const route = Object.keys(paths).find((each) =>
      new RegExp(`^${each.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
    );
    const operation = Operation.parse(paths[route ?? '']?.[method.toLowerCase()] ?? { responses: { 404: {} } });
    const status = Object.keys(operation.responses).find((each) => /^[24]/.test(each)) ?? '404';
    const content = Content.parse(operation.responses[status]?.content?.['application/json'] ?? {});
    const [first] = Object.values(content.examples ?? {});
    const name = first?.$ref?.split('/').at(-1);
    const example = name === undefined ? first?.value : components.examples[name]?.value;
    const isEmpty = operation.responses[status]?.content === undefined;
    return { status: Number(status), example: example ?? (isEmpty ? undefined : {}) };
  }

  /** @returns the status, and the text of the body */
  function answer(method: string, url: string, sent: string): [number, string] {
    const path = new URL(url, 'http://localhost').pathname
      .replace(api, '')
      // The description has one parameter for several parts of a path.
      .replace(/(?<=\/git\/refs\/|\/contents\/).+/, encodeURIComponent);
    requests.push([method, url.replace(api, ''), sent].join(' ').trimEnd());
    const { status, example } = exampleOf(method, path);
    const responseBody = change(`${method} ${path}`, example);
    const requestBody: unknown = sent === '' ? undefined : JSON.parse(sent);
    problems.push(...check({ method, path, requestBody, status, responseBody }));
    return [status, status === 204 || responseBody === undefined ? '' : JSON.stringify(responseBody)];
  }

  const server = await startLoopbackServer((request, response) => {
    void text(request)
      .then((sent) => answer(request.method ?? '', request.url ?? '/', sent))
      .then(([status, body]) => response.writeHead(status, { 'content-type': 'application/json' }).end(body));
  });
  return { ...server, requests, problems };
}
