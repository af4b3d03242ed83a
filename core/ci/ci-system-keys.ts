import { SecretId } from '../config/secret-id.ts';
import * as z from '../zod.ts';
import { defaultRateLimitShare } from './rate-budget.ts';

/**
 * A CI system's name: at most 12 characters, because it begins the ids of its launches. `POST /launches` begins its own
 * with `api`.
 */
export const CiSystemName = z.string().check(
  z.regex(/^[a-z]([-a-z0-9]{0,10}[a-z0-9])?$/, 'expected up to 12 of a-z, 0-9 and -, from a letter on'),
  z.refine((name) => name !== 'api', { error: 'expected another name: POST /launches uses this one' }),
  z.describe("The system's name: in the path of its webhooks, /webhooks/NAME, and in the ids of its launches"),
);

/** The origin of a CI system's URL. */
export const Origin = z.string().check(
  z.refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text, {
    error: 'expected a URL such as https://ci.example.com, without a path and a slash at its end',
  }),
);

/** The URL of a CI system that may be below a path. @param example for the message */
export function urlLike(example: string) {
  return z.string().check(
    z.refine((text) => URL.canParse(text) && /^https?:\/\/[^?#@]*[^?#/@]$/.test(text), {
      error: `expected a URL such as ${example}, without a slash at its end`,
    }),
  );
}

/** The pause between two polls of a CI system, in seconds. */
export function pollSeconds(usual: number) {
  return z.withDefault(z.int().check(z.gte(1), z.lte(60)), usual);
}

/** The keys in davit.yaml of every CI system. */
export const commonKeys = {
  name: CiSystemName,
  webhookSecret: z.described(SecretId, 'Name or ARN of the secret with which the system signs its webhooks'),
};

/** The keys of a CI system in which davit may act, and that limits the rate of requests. */
export const actingKeys = {
  tokenSecret: z.described(
    z.exactOptional(SecretId),
    "Name or ARN of the secret that holds davit's access token for the system",
  ),
  rateLimitShare: z.described(
    z.exactOptional(z.number().check(z.gte(0.01), z.lte(1))),
    `The part of the system's rate limit that reconciling may use, which finds out each minute what davit has missed. Default: ${defaultRateLimitShare}`,
  ),
};
