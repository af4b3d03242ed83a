import { credentialMark } from './credentials.ts';
import type { History } from './history.ts';
import { registrationMark, secretOfJobs, signingSecrets } from './secrets.ts';

const secrets = [
  registrationMark,
  credentialMark,
  secretOfJobs,
  ...Object.values(signingSecrets).flatMap((id) => [`${id}-1`, `${id}-2`]),
];

/** The functions whose answers may contain a registration's secret. */
const tellsRegistrations: ReadonlySet<string> = new Set(['register-runner', 'connect']);

/** Looks for secrets in everything that davit shows to people or to other systems. */
export class Shown {
  readonly #history: History;

  constructor(history: History) {
    this.#history = history;
  }

  /** @param where the output to check, such as an answer, an error, an event or a record's diagnostics */
  check(where: string, launchId: string, what: unknown): void {
    const text = typeof what === 'string' ? what : (JSON.stringify(what) ?? '');
    const hidden = tellsRegistrations.has(where) ? secrets.slice(1) : secrets;
    if (hidden.some((secret) => text.includes(secret))) this.#history.add({ kind: 'leaked', launchId, where });
  }
}
