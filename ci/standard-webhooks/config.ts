import { commonKeys } from '../../core/ci/ci-system-keys.ts';
import * as z from '../../core/zod.ts';

/** Anything that sends davit's own events, signed as Standard Webhooks says, in davit.yaml. davit does not act there. */
export const StandardConfig = z.strictObject({ ...commonKeys, provider: z.literal('standard') });
