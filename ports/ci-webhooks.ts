import type { CiScope } from '../core/ci/ci-scope.ts';

/** A webhook as a CI system is to have it. */
export interface WantedWebhook {
  /** davit's URL for this CI system: https://…/webhooks/NAME. */
  url: string;
  /** Signs its deliveries. */
  secret: string;
}

/**
 * The webhooks in a CI system's settings. They take more rights than davit's functions need: an organization's webhooks its
 * owner's, an App's own none.
 */
export interface CiWebhooks {
  /**
   * Makes the webhook, or gives the one with its URL the secret and the events of jobs. Repeating is safe. Where davit acts as
   * an App, that App's only webhook gets the URL, whatever URL it had.
   *
   * @throws TransientError CiUnavailable; TerminalError CiRefused in the system's words
   */
  putWebhook(scope: CiScope, webhook: WantedWebhook): Promise<'made' | 'corrected'>;
}
