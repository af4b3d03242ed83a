import { everyOwner, type RepositoryName } from '../../core/ci/ci-scope.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import { KeptElsewhere, type SecretSource } from '../api/secret-source.ts';
import type { Acceptance } from './acceptance.ts';
import type { AcceptanceCi } from './acceptance-ci.ts';
import type { AcceptanceSystem } from './open-ci.ts';
import { type WebhookSwitch, webhookSwitch } from './webhook-switch.ts';

/** The place of a webhook, and what davit itself may read of it. */
export interface WebhookPlace {
  /** Undefined for a CI system that has none. */
  repository: RepositoryName | undefined;
  /** davit's URL for webhooks, without a slash at its end; undefined when nobody said it. */
  publicUrl: string | undefined;
  secrets: SecretSource;
  /** The CI system by davit's own credential. */
  ownCi: Pick<CiInspection, 'listWebhooks'>;
  onLeft: Acceptance['onLeft'];
}

/** Makes the switch of a repository's webhook. @returns undefined for a CI system that sends none to davit */
export function ownWebhook(
  { webhooks }: Pick<AcceptanceCi, 'webhooks'>,
  system: AcceptanceSystem,
  { repository, publicUrl, secrets, ownCi, onLeft }: WebhookPlace,
): WebhookSwitch | undefined {
  const { webhookSecret } = system;
  if (webhooks === undefined || repository === undefined || webhookSecret === undefined) return undefined;
  const isApp = 'app' in system && system.app !== undefined;
  return webhookSwitch({
    webhooks,
    url: publicUrl && `${publicUrl}/webhooks/${system.name}`,
    readSecret: () =>
      secrets.read(webhookSecret).catch((error: unknown) => {
        if (error instanceof KeptElsewhere) return undefined;
        throw error;
      }),
    listShared: () =>
      ownCi.listWebhooks({ organization: isApp ? everyOwner : repository.owner }).catch((error: unknown) => {
        // A person has none, and not everybody may see an organization's.
        if (error instanceof TerminalError) return [];
        throw error;
      }),
    onLeft,
  });
}
