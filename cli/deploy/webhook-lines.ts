import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { isPolled, scaleSetOf } from '../../core/ci/ci-systems.ts';

/**
 * Says which webhooks a person makes: their URLs, and where their secrets are.
 *
 * @param isPut says whether davit has made those of a CI system
 */
export function webhookLines(
  ciSystems: readonly CiSystemConfig[],
  { publicUrl, region }: { publicUrl: string; region: string },
  isPut: (name: string) => boolean,
): string[] {
  return ciSystems.flatMap((system) => {
    const { name, webhookSecret } = system;
    if (isPut(name) || webhookSecret === undefined || scaleSetOf(system) !== undefined) return [];
    return [
      `webhooks of ${name}${isPolled(system) ? ', which make davit poll it at once' : ''}: ${publicUrl}/webhooks/${name}`,
      `  their secret: aws secretsmanager get-secret-value --region ${region} --secret-id ${webhookSecret} --query SecretString --output text`,
    ];
  });
}
