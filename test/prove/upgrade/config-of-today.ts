import * as z from 'zod';
import { Config } from '../../../core/config/config.ts';

const Recorded = z.looseObject({
  webhooks: z.array(z.object({ provider: z.literal('github'), secret: z.string() })).optional(),
});

/** Reads a recorded davit.yaml with the changes that CHANGELOG.md requires before an upgrade. */
export function configOfToday(recorded: unknown): Config {
  const { webhooks = [], ...config } = Recorded.parse(recorded);
  // Up to 0.1.0, a CI system was named by its provider.
  const ciSystems = webhooks.map(({ provider, secret }) => ({ name: provider, provider, webhookSecret: secret }));
  return Config.parse({ ciSystems, ...config });
}
