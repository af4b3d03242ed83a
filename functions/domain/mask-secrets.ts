const mask = '[masked]';

/** A JWT, as the agent's own credential is one, or what is left of one whose end was cut off. */
const jwt = /\beyJ[\w-]{8,}(\.[\w-]*){0,2}/g;
const authorization = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;

/** A shorter value is no secret that a mask could keep, and its mask would make the text hard to read. */
const shortestSecretCharacters = 4;

/** Masks JWTs alone, in a text that may speak of bearer tokens without having one. */
export function maskJwts(text: string): string {
  return text.replaceAll(jwt, mask);
}

/**
 * Masks what must not leave the places that are meant to hold it: JWTs, what follows `Bearer` or `Basic`, and the given
 * values; of a value of several lines each line by itself, for a text that shows only some of them.
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
