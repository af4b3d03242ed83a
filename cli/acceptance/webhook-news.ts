import { type ApiClient, answered } from '../api/client.ts';

/** What davit says of a CI system's webhooks. */
export interface WebhookNews {
  /** Within which time davit finds a webhook that is lost, in milliseconds; undefined before it has reconciled. */
  foundWithinMs: number | undefined;
  /** How many deliveries davit has refused in the last hour, at least. */
  refused: number;
}

/** Asks davit. @throws CliError when it does not answer */
export async function readWebhookNews(api: ApiClient, ciSystem: string): Promise<WebhookNews> {
  const asked = await api.GET('/jobs', { params: { query: { ciSystem, limit: 1 } } });
  const { refusedWebhooks = [], lostWebhooks = [] } = answered(asked, 'jobs');
  const of = (view: { ciSystem: string }) => view.ciSystem === ciSystem;
  const seconds = lostWebhooks.find(of)?.foundWithinSeconds;
  return {
    foundWithinMs: seconds === undefined ? undefined : seconds * 1000,
    refused: refusedWebhooks.find(of)?.count ?? 0,
  };
}
