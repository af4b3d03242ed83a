import * as z from '../../../core/zod.ts';
import { json, type Parts, type Routes } from '../serve-routes.ts';
import { page, refuse } from './route.ts';

/** A webhook of the fake. */
export interface FakeHook {
  id: number;
  /** `groups/acme`, `projects/acme/app`. */
  place: string;
  url: string;
  name?: string;
  pushEvents: boolean;
  jobEvents: boolean;
  isVerified: boolean;
  /** Sent in each request. */
  token?: string;
  /** Signs each request. */
  signingToken?: string;
  template: string;
  alertStatus: 'executable' | 'temporarily_disabled' | 'disabled';
}

/** The webhooks of the fake, and what its version has. */
export interface FakeHooks {
  all: FakeHook[];
  /** Whether it is of version 19.0 or newer: it signs. */
  canSign: boolean;
  /** Whether groups have webhooks: with a Premium licence. */
  isPremium: boolean;
  /** What a test of a webhook is refused with, if it is. */
  testRefusal: string | undefined;
}

/** @see lib/api/project_hooks.rb, ee/lib/api/group_hooks.rb */
const HookParams = z.object({
  url: z.optional(z.string()),
  name: z.optional(z.string()),
  push_events: z.optional(z.boolean()),
  job_events: z.optional(z.boolean()),
  enable_ssl_verification: z.optional(z.boolean()),
  token: z.optional(z.string()),
  signing_token: z.optional(z.string()),
  custom_webhook_template: z.optional(z.string()),
});
type HookParams = z.infer<typeof HookParams>;

/** Says why the server does not show a place to the caller; undefined when it does. */
type FindPlace = (kind: string, id: string) => string | undefined;

/**
 * The routes of the webhooks of groups and projects.
 *
 * @param placeOf finds a place by its path or its id
 * @see lib/api/helpers/web_hooks_helpers.rb, lib/api/hooks/trigger_test.rb of GitLab
 */
export function hookRoutes(hooks: FakeHooks, nextId: () => number, placeOf: FindPlace): Routes {
  const within = (kind: string, id: string, answer: (place: string) => ReturnType<typeof json>) => {
    // A GitLab without the licence's code has no such route.
    if (kind === 'groups' && !hooks.isPremium) return json(404, { error: '404 Not Found' });
    const place = placeOf(kind, id);
    return place === undefined
      ? refuse(404, `404 ${kind === 'groups' ? 'Group' : 'Project'} Not Found`)
      : answer(`${kind}/${place}`);
  };
  const withHook = (parts: Parts, answer: (hook: FakeHook) => ReturnType<typeof json>) => {
    const { kind = '', id = '', hookId } = parts;
    return within(kind, id, (place) => {
      const hook = hooks.all.find((each) => each.place === place && `${each.id}` === hookId);
      return hook === undefined ? refuse(404, '404 Not found') : answer(hook);
    });
  };
  const save = (hook: FakeHook, params: HookParams, status: number) => {
    const problem = apply(hooks, hook, params);
    return problem === undefined ? json(status, hookEntity(hooks, hook)) : refuse(422, problem);
  };
  return {
    'GET /{kind}/{id}/hooks': ({ kind = '', id = '' }, { query }) =>
      within(kind, id, (place) => {
        const there = hooks.all.filter((hook) => hook.place === place);
        return page(
          there.map((hook) => hookEntity(hooks, hook)),
          query,
        );
      }),
    'POST /{kind}/{id}/hooks': ({ kind = '', id = '' }, { body }) =>
      within(kind, id, (place) => {
        const defaults = { pushEvents: true, jobEvents: false, isVerified: true, template: '' } as const;
        const hook: FakeHook = { ...defaults, id: nextId(), place, url: '', alertStatus: 'executable' };
        const answer = save(hook, HookParams.parse(body), 201);
        if (answer.status === 201) hooks.all.push(hook);
        return answer;
      }),
    'PUT /{kind}/{id}/hooks/{hookId}': (parts, { body }) =>
      withHook(parts, (hook) => save(hook, HookParams.parse(body), 200)),
    'POST /{kind}/{id}/hooks/{hookId}/test/job_events': (parts) =>
      withHook(parts, (hook) => {
        if (hooks.testRefusal !== undefined) return refuse(422, hooks.testRefusal);
        hook.alertStatus = 'executable';
        return json(201, { message: '201 Created' });
      }),
  };
}

/** Sets the parameters that the version knows. @returns what is wrong with them, if anything is */
function apply({ canSign }: FakeHooks, hook: FakeHook, params: HookParams): string | undefined {
  const { signing_token: signingToken, token } = params;
  if (canSign && signingToken !== undefined) {
    const key = /^whsec_(.+)$/.exec(signingToken)?.[1] ?? '';
    if (Buffer.from(key, 'base64').length !== 32) return 'Signing token must be whsec_ and the base64 of 32 bytes';
    hook.signingToken = signingToken;
  }
  if (token === '') delete hook.token;
  else if (token !== undefined) hook.token = token;
  hook.url = params.url ?? hook.url;
  if (params.name !== undefined) hook.name = params.name;
  hook.pushEvents = params.push_events ?? hook.pushEvents;
  hook.jobEvents = params.job_events ?? hook.jobEvents;
  hook.isVerified = params.enable_ssl_verification ?? hook.isVerified;
  hook.template = params.custom_webhook_template ?? hook.template;
  return undefined;
}

/** @see lib/api/entities/hook.rb, lib/api/entities/project_hook.rb */
function hookEntity({ canSign }: FakeHooks, hook: FakeHook) {
  return {
    id: hook.id,
    url: hook.url,
    name: hook.name ?? null,
    push_events: hook.pushEvents,
    job_events: hook.jobEvents,
    enable_ssl_verification: hook.isVerified,
    alert_status: hook.alertStatus,
    disabled_until: null,
    custom_webhook_template: hook.template,
    ...(canSign
      ? { token_present: hook.token !== undefined, signing_token_present: hook.signingToken !== undefined }
      : {}),
  };
}
