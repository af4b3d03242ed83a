import { TerminalError } from '../../core/errors/errors.ts';
import type { WantedWebhook } from '../../ports/ci-webhooks.ts';
import type { Hook } from './answers.ts';
import type { GitlabApi, HookChange } from './gitlab-api.ts';
import type { GitlabPlace } from './place.ts';

/**
 * Makes the webhook of a group or a project, or corrects those with its URL: they send the events of jobs with the
 * secret, in GitLab's own form, and are enabled. Repeatable.
 *
 * A secret for signing (`whsec_`) becomes the signing token, and where GitLab has none, before 19.0, the secret token.
 *
 * @throws TransientError CiUnavailable; TerminalError CiRefused in GitLab's words
 * @see https://docs.gitlab.com/api/project_webhooks/
 * @see https://docs.gitlab.com/api/group_webhooks/
 */
export async function putHook(
  api: GitlabApi,
  place: GitlabPlace,
  { url, secret }: WantedWebhook,
): Promise<'made' | 'corrected'> {
  const isForSigning = secret.startsWith('whsec_');
  const wanted: HookChange = { job_events: true, ...(isForSigning ? { signing_token: secret } : { token: secret }) };
  const before = (await api.hooks(place)).filter((hook) => hook.url === url);
  const settle = async (hook: Hook) => {
    if (isForSigning) await settleToken(api, place, hook, secret);
  };
  if (before.length === 0) {
    const own = { url, name: 'davit', push_events: false, enable_ssl_verification: true };
    await settle(await api.makeHook(place, { ...own, ...wanted }));
    return 'made';
  }
  for (const { id, custom_webhook_template: template } of before) {
    // davit reads GitLab's own body only.
    const untemplated = template ? { custom_webhook_template: '' } : {};
    const changed = await api.changeHook(place, id, { ...wanted, ...untemplated });
    await settle(changed);
    await enable(api, place, changed);
  }
  return 'corrected';
}

/** A secret that signs is not sent, too. A GitLab that does not sign sends it. */
async function settleToken(api: GitlabApi, place: GitlabPlace, hook: Hook, secret: string): Promise<void> {
  if (!hook.signing_token_present) await api.changeHook(place, hook.id, { token: secret });
  else if (hook.token_present) await api.changeHook(place, hook.id, { token: '' });
}

/** Only a delivery that succeeds enables a webhook again. */
async function enable(api: GitlabApi, place: GitlabPlace, { id, alert_status: status }: Hook): Promise<void> {
  if (!status || status === 'executable') return;
  try {
    await api.testHook(place, id);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    const words = `GitLab has disabled the webhook after failed deliveries, and a test does not enable it: ${error.detail}`;
    throw new TerminalError('CiRefused', words, {}, { cause: error });
  }
}
