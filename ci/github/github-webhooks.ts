import type { CiScope } from '../../core/ci/ci-scope.ts';
import type { DeliveryAttempt } from '../../core/ci/failing-delivery.ts';
import * as z from '../../core/zod.ts';
import type { CiWebhook } from '../../ports/ci-inspection.ts';
import type { DeliveryPage } from '../../ports/ci-system.ts';
import type { WantedWebhook } from '../../ports/ci-webhooks.ts';
import { scopePath } from '../scope-path.ts';
import type { Github } from './github.ts';
import { type GithubApi, pageSize } from './github-api.ts';

const jobEvent = 'workflow_job';

/** Octokit reads a number that is not safe as a bigint. */
const DeliveryId = z.pipe(z.union([z.int(), z.bigint()]), z.transform(String));
const Deliveries = z.array(
  z.object({ id: DeliveryId, guid: z.string(), delivered_at: z.string(), status_code: z.int(), event: z.string() }),
);
const Hooks = z.array(
  z.object({
    id: z.int(),
    active: z.boolean(),
    events: z.array(z.string()),
    config: z.object({ url: z.optional(z.string()) }),
    last_response: z.optional(z.object({ code: z.nullish(z.int()) })),
  }),
);
const AppHook = z.object({ url: z.optional(z.string()) });
const App = z.object({ events: z.array(z.string()) });

/** Reads and makes webhooks, and delivers an App's again. */
export function githubWebhooks({
  isApp,
  call,
  read,
  parse,
}: GithubApi): Pick<Github, 'listWebhooks' | 'putWebhook' | 'listDeliveries' | 'redeliver'> {
  async function readHooks(scope: CiScope): Promise<z.infer<typeof Hooks>> {
    return read(`GET ${scopePath(scope)}/hooks`, scope, Hooks, { per_page: pageSize });
  }

  async function listHooks(scope: CiScope): Promise<CiWebhook[]> {
    return (await readHooks(scope)).map(({ active, events, config: { url = '' }, last_response: last }) => ({
      url,
      isActive: active,
      sendsJobs: events.includes(jobEvent) || events.includes('*'),
      ...(typeof last?.code === 'number' ? { lastStatus: last.code } : {}),
    }));
  }

  async function putHook(scope: CiScope, webhook: WantedWebhook): Promise<'made' | 'corrected'> {
    const hooks = `${scopePath(scope)}/hooks`;
    const config = { ...webhook, content_type: 'json', insecure_ssl: '0' };
    const there = (await readHooks(scope)).find((hook) => hook.config.url === webhook.url);
    if (there === undefined) {
      await call(`POST ${hooks}`, scope, { name: 'web', active: true, events: [jobEvent], config });
      return 'made';
    }
    // GitHub takes the events of a change for all of them.
    const events = there.events.includes('*') ? there.events : [...new Set([...there.events, jobEvent])];
    await call(`PATCH ${hooks}/${there.id}`, scope, { active: true, events, config });
    return 'corrected';
  }

  /** An App's webhook is made with the App, and there is none other. */
  async function putAppHook({ url, secret }: WantedWebhook): Promise<'corrected'> {
    // Octokit would take a parameter that is called `url` for the request's own.
    const data = { url, secret, content_type: 'json', insecure_ssl: '0' };
    await call('PATCH /app/hook/config', 'app', { data });
    return 'corrected';
  }

  async function readAppHook(): Promise<CiWebhook[]> {
    const { url = '' } = await read('GET /app/hook/config', 'app', AppHook);
    if (url === '') return [];
    const { events } = await read('GET /app', 'app', App);
    const [last] = await read('GET /app/hook/deliveries', 'app', Deliveries);
    const lastStatus = last === undefined ? {} : { lastStatus: last.status_code };
    return [{ url, isActive: true, sendsJobs: events.includes(jobEvent), ...lastStatus }];
  }

  async function listDeliveries(page?: string): Promise<DeliveryPage> {
    if (!isApp) return { attempts: [] };
    const route = 'GET /app/hook/deliveries';
    const { data, link } = await call(route, 'app', {
      per_page: pageSize,
      ...(page === undefined ? {} : { cursor: page }),
    });
    const next = cursorOf(link);
    const attempts = parse(route, Deliveries, data).map(attemptOf);
    return next === undefined ? { attempts } : { attempts, next };
  }

  return {
    listWebhooks: (scope) => (isApp ? readAppHook() : listHooks(scope)),
    putWebhook: (scope, webhook) => (isApp ? putAppHook(webhook) : putHook(scope, webhook)),
    listDeliveries,
    redeliver: async (deliveryId) => {
      await call(`POST /app/hook/deliveries/${deliveryId}/attempts`, 'app');
    },
  };
}

/** Finds the cursor of the next page in a Link header. */
function cursorOf(link = ''): string | undefined {
  const url = /<([^>]+)>;\s*rel="next"/.exec(link)?.[1];
  return (url && URL.canParse(url) && new URL(url).searchParams.get('cursor')) || undefined;
}

/** Code 0: the delivery got no answer. */
function attemptOf({
  id,
  guid,
  event,
  status_code: code,
  delivered_at: at,
}: z.infer<typeof Deliveries>[number]): DeliveryAttempt {
  return { id, guid, event, hasSucceeded: code >= 200 && code < 400, atEpochMs: Date.parse(at) };
}
