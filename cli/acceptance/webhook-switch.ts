import { setTimeout as sleep } from 'node:timers/promises';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import type { CiWebhook } from '../../ports/ci-inspection.ts';
import { wordsOf } from '../words-of.ts';
import type { RepositoryWebhook, RepositoryWebhooks } from './acceptance-ci.ts';
import type { NotRun } from './not-run.ts';

/** Finds the webhook of the acceptance's repository. */
export interface WebhookSwitch {
  /** @returns what is needed, where there is none that may be turned off @throws TransientError CiUnavailable */
  find(): Promise<FoundWebhook | NotRun>;
}

/** A webhook that may be turned off. */
export interface FoundWebhook {
  /**
   * Does some work while the webhook is off, and turns it on again, also after an error and after Ctrl-C. Tells a person
   * of a webhook that it cannot turn on again.
   *
   * @returns what is needed, if the CI system refuses to turn it off
   * @throws what the work throws; TransientError CiUnavailable
   */
  whileOff(work: () => Promise<void>): Promise<NotRun | undefined>;
}

/** What a switch works with. */
export interface SwitchedWebhook {
  webhooks: RepositoryWebhooks;
  /** The URL at which the CI system reaches this davit; undefined when the caller did not say it. */
  url: string | undefined;
  /** Reads the secret that signs the deliveries; undefined when it is elsewhere. */
  readSecret: () => Promise<string | undefined>;
  /** Lists the webhooks that the repository shares with others, as far as davit may see them. */
  listShared: () => Promise<CiWebhook[]>;
  /** Receives a webhook that stays off, and why. */
  onLeft: (words: string) => void;
  /** Between two tries to turn it on again, in milliseconds. @default 2 s */
  pauseMs?: number;
}

/** How often it tries to turn the webhook on again. */
const mostTries = 10;

/** Makes a switch. Changes nothing yet. */
export function webhookSwitch(options: SwitchedWebhook): WebhookSwitch {
  const { webhooks, onLeft, pauseMs = 2000 } = options;

  async function turnOn({ hook: { id, url }, secret }: Found): Promise<void> {
    for (let left = mostTries; ; left -= 1) {
      try {
        return await webhooks.setActive(id, true, secret);
      } catch (error) {
        if (left > 1 && error instanceof TransientError) await sleep(pauseMs);
        else
          return onLeft(
            `the repository's webhook to ${url} is off: turn it on, or run davit webhook: ${wordsOf(error)}`,
          );
      }
    }
  }

  async function whileOff(found: Found, work: () => Promise<void>): Promise<NotRun | undefined> {
    let mayBeOff = true;
    try {
      await webhooks.setActive(found.hook.id, false, found.secret).catch((error: unknown) => {
        // A change whose answer is lost may have been made.
        mayBeOff = !(error instanceof TerminalError);
        throw error;
      });
      await work();
      return undefined;
    } catch (error) {
      if (mayBeOff) throw error;
      return mayNot;
    } finally {
      if (mayBeOff) await turnOn(found);
    }
  }

  return {
    find: async () => {
      const found = await findOwn(options).catch((error: unknown) => {
        if (error instanceof TerminalError) return mayNot;
        throw error;
      });
      return 'needs' in found ? found : { whileOff: (work) => whileOff(found, work) };
    },
  };
}

interface Found {
  hook: RepositoryWebhook;
  secret: string;
}

const mayNot: NotRun = { needs: "a credential that may change the repository's webhooks" };

/** Finds the webhook that the repository alone has to this davit. */
async function findOwn({ webhooks, url, readSecret, listShared }: SwitchedWebhook): Promise<Found | NotRun> {
  if (url === undefined) return { needs: '--public-url' };
  const tells = ({ url: target, isActive, sendsJobs }: Omit<CiWebhook, 'lastStatus'>) =>
    target === url && isActive && sendsJobs;
  const [hook, other] = (await webhooks.list()).filter(tells);
  if (other !== undefined) return { needs: "no second webhook of the repository's to this davit" };
  if (hook === undefined || (await listShared()).some(tells))
    return {
      needs: 'a webhook to this davit that is of the repository alone, and none of its organization or of an App',
    };
  if (hook.loses !== undefined)
    return { needs: `a webhook that has the events of jobs only: a change would lose ${hook.loses}` };
  const secret = await readSecret();
  return secret === undefined ? { needs: "--secret with the webhook's secret" } : { hook, secret };
}
