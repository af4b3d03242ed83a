const mask = '[masked]';

/** A JWT, such as the agent's own credential, or the beginning of a truncated JWT. */
const jwt = /\beyJ[\w-]{8,}(\.[\w-]*){0,2}/g;
const authorization = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;

/** A mask cannot protect a shorter value, and would make the text hard to read. */
const shortestSecretCharacters = 4;

/** Masks only JWTs, in a text that may mention bearer tokens without containing one. */
export function maskJwts(text: string): string {
  return text.replaceAll(jwt, mask);
}

/**
 * Masks secrets: JWTs, the text after `Bearer` or `Basic`, and the given values. Masks each line of a longer value by
 * itself, because a text may show only some of its lines.
 *
 * @param values such as those of the environment that a caller gave
 */
export function maskSecrets(text: string, values: readonly string[]): string {
  const secrets = values
    .flatMap((value) => [value, ...value.split('\n').map((line) => line.trim())])
    .filter((value) => value.length >= shortestSecretCharacters)
    .toSorted((one, other) => other.length - one.length);
  const withoutValues = secrets.reduce((masked, secret) => masked.replaceAll(secret, mask), text);
  return maskJwts(withoutValues).replaceAll(authorization, `$1 ${mask}`);
}
