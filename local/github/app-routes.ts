import * as z from 'zod';
import { example } from './bodies.ts';
import { type Answer, notFound, type Route } from './route.ts';

/** An attempt to deliver a webhook, as an App's own list shows it. */
export interface Delivery {
  id: number;
  guid: string;
  statusCode: number;
  action: string;
  /** Whether the App asked for this attempt. */
  isRedelivery: boolean;
  deliveredAtEpochMs: number;
}

/** A webhook of an App or of an organization. */
export interface GithubWebhook {
  /** Empty for an App without one. */
  url: string;
  events: readonly string[];
  secret?: string;
}

const HookBody = z.object({
  events: z.optional(z.array(z.string())),
  config: z.object({ url: z.string(), content_type: z.literal('json'), secret: z.string() }),
});
const HookConfig = z.object({ url: z.string(), secret: z.string() });

/** The routes of an App: its installations, tokens, webhook and deliveries. */
export function appRoutes(
  token: string,
  organizations: ReadonlySet<string>,
  hook: GithubWebhook,
  orgHooks: GithubWebhook[],
  deliveries: readonly Delivery[],
  redeliver: (delivery: Delivery) => void,
): readonly Route[] {
  const installationId = 7;
  return [
    [
      'GET',
      /^\/orgs\/([^/]+)\/installation$/,
      ({ parameters: [organization = ''] }) =>
        organizations.has(organization)
          ? { status: 200, body: { ...example('installation'), id: installationId } }
          : notFound,
    ],
    [
      'GET',
      /^\/repos\/[^/]+\/[^/]+\/installation$/,
      () => ({ status: 200, body: { ...example('installation'), id: installationId } }),
    ],
    [
      'POST',
      /^\/app\/installations\/7\/access_tokens$/,
      () => ({
        status: 201,
        body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString(), permissions: {} },
      }),
    ],
    ['GET', /^\/app$/, () => ({ status: 200, body: { ...example('integration'), events: hook.events } })],
    ['GET', /^\/app\/hook\/config$/, () => ({ status: 200, body: { ...example('webhook-config'), url: hook.url } })],
    [
      'PATCH',
      /^\/app\/hook\/config$/,
      ({ body }) => {
        Object.assign(hook, HookConfig.parse(body));
        return { status: 200, body: { ...example('webhook-config'), url: hook.url } };
      },
    ],
    ['GET', /^\/orgs\/[^/]+\/hooks$/, () => ({ status: 200, body: orgHooks.map(orgHookBody) })],
    [
      'POST',
      /^\/orgs\/[^/]+\/hooks$/,
      ({ body }) => {
        const made = webhookOf(body, ['push']);
        orgHooks.push(made);
        return { status: 201, body: orgHookBody(made, orgHooks.length - 1) };
      },
    ],
    [
      'PATCH',
      /^\/orgs\/[^/]+\/hooks\/(\d+)$/,
      ({ body, parameters }) => {
        const id = Number(parameters[0]);
        const there = orgHooks[id];
        if (there === undefined) return notFound;
        Object.assign(there, webhookOf(body, there.events));
        return { status: 200, body: orgHookBody(there, id) };
      },
    ],
    ['GET', /^\/app\/hook\/deliveries$/, ({ query }) => listDeliveries(deliveries, query)],
    [
      'POST',
      /^\/app\/hook\/deliveries\/(\d+)\/attempts$/,
      ({ parameters }) => {
        const delivery = deliveries.find(({ id }) => id === Number(parameters[0]));
        if (delivery === undefined) return notFound;
        redeliver(delivery);
        return { status: 202, body: {} };
      },
    ],
  ];
}

/** A page of deliveries, newest first. The cursor is the id of the last delivery of the page before. */
function listDeliveries(deliveries: readonly Delivery[], query: URLSearchParams): Answer {
  const cursor = query.get('cursor');
  const size = Number(query.get('per_page') ?? 30);
  const older = deliveries.toReversed().filter(({ id }) => cursor === null || id < Number(cursor));
  const page = older.slice(0, size);
  const last = page.at(-1);
  const next = `<https://api.github.com/app/hook/deliveries?per_page=${size}&cursor=${last?.id}>; rel="next"`;
  return {
    status: 200,
    body: page.map(deliveryBody),
    ...(last === undefined || older.length === page.length ? {} : { headers: { link: next } }),
  };
}

/** @param events those without any in the request */
function webhookOf(body: unknown, events: readonly string[]): GithubWebhook {
  const { config, ...given } = HookBody.parse(body);
  return { url: config.url, secret: config.secret, events: given.events ?? events };
}

/** GitHub shows no secret. */
function orgHookBody({ url, events }: GithubWebhook, id: number): unknown {
  const body = example('org-hook');
  return { ...body, id, active: true, events, config: { url, content_type: 'json', insecure_ssl: '0' } };
}

function deliveryBody({ id, guid, statusCode, action, isRedelivery, deliveredAtEpochMs }: Delivery): unknown {
  return {
    id,
    guid,
    delivered_at: new Date(deliveredAtEpochMs).toISOString(),
    redelivery: isRedelivery,
    duration: 0.1,
    status: statusCode < 400 ? 'OK' : 'Error',
    status_code: statusCode,
    event: 'workflow_job',
    action,
    installation_id: 7,
    repository_id: 1,
  };
}
