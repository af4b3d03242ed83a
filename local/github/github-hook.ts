import { randomUUID } from 'node:crypto';
import type { Delivery } from './app-routes.ts';
import { jobFields } from './bodies.ts';
import type { GithubJob } from './github-state.ts';
import type { DeliveredJob, DeliveryAnswer, GithubWebhooks, JobAction } from './github-webhooks.ts';
import type { LocalGithub } from './start-github.ts';

/** GitHub's own status of an attempt that got no answer. */
const unanswered: DeliveryAnswer = { status: 502, body: undefined };

/**
 * Delivers a GitHub App's webhooks, and keeps each attempt in the App's list. GitHub makes one attempt. It makes another
 * one, with the same GUID, when the App asks for it.
 *
 * @param webhooks where deliveries go now
 */
export function createGithubHook(github: LocalGithub, webhooks: () => GithubWebhooks): GithubWebhooks {
  const sent = new Map<string, { job: DeliveredJob; action: JobAction }>();

  async function attempt(guid: string, isRedelivery: boolean): Promise<DeliveryAnswer> {
    const delivery = sent.get(guid);
    if (delivery === undefined) throw new Error(`no webhook was sent with the GUID ${guid}`);
    const { job, action } = delivery;
    const answer = await webhooks()
      .deliver(job, action, guid)
      .catch(() => unanswered);
    const kept: Delivery = {
      id: github.state.nextId(),
      guid,
      statusCode: answer.status,
      action,
      isRedelivery,
      deliveredAtEpochMs: Date.now(),
    };
    github.deliveries.push(kept);
    return answer;
  }

  github.onRedeliver = ({ guid }) => attempt(guid, true);
  return {
    deliver: (job, action, guid = randomUUID()) => {
      sent.set(guid, { job, action });
      return attempt(guid, false);
    },
  };
}

/** A job of a GitHub, for its webhooks. */
export function deliveredJob({ state }: Pick<LocalGithub, 'state'>, job: GithubJob): DeliveredJob {
  const { owner, repository: name } = job;
  const { id, labels, ...fields } = jobFields(job);
  return { id, labels, repository: { id: state.repositoryIdOf(owner, name), owner, name }, fields };
}
