import { TerminalError } from '../../core/errors/errors.ts';
import type { SecretVersion } from '../../runtime/signing/create-signing-secrets.ts';
import type { Core } from './core.ts';
import { signingSecrets } from './secrets.ts';

/** Secrets Manager: each secret's versions, the first of them made long ago. */
export class SimulatedSecretsManager {
  readonly #core: Core;
  readonly #versions = new Map<string, SecretVersion[]>();

  constructor(core: Core) {
    this.#core = core;
    for (const id of Object.values(signingSecrets)) this.#versions.set(id, [versionOf(id, 1, 0)]);
  }

  /** Puts a new version, as people do: at most once a day, so once in a run. */
  rotate(id: string): void {
    const versions = this.#versionsOf(id);
    if (versions.length === 1) versions.unshift(versionOf(id, 2, this.#core.scheduler.nowEpochMs()));
  }

  current(id: string): SecretVersion {
    const [current] = this.#versionsOf(id);
    if (current === undefined) throw new TerminalError('SecretMissing', `secret ${id}`);
    return current;
  }

  previous(id: string): SecretVersion | undefined {
    return this.#versionsOf(id)[1];
  }

  #versionsOf(id: string): SecretVersion[] {
    const versions = this.#versions.get(id);
    if (versions === undefined) throw new TerminalError('SecretMissing', `secret ${id}`);
    return versions;
  }
}

function versionOf(id: string, number: number, createdAtEpochMs: number): SecretVersion {
  return { id: `v${number}`, text: `${id}-${number}`, createdAtEpochMs };
}
