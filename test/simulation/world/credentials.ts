import { agentNameOf } from '../../../functions/domain/names.ts';
import type { AgentIdentity, CredentialIssuer, CredentialVerifier } from '../../../functions/ports/credentials.ts';
import type { Core } from './core.ts';

/** What every credential starts with, as a JWT does, so that one that leaks is found by it. */
export const credentialMark = 'eyJzaW11bGF0ZWQ';

/** The credentials' key, which people may rotate; signing is simplified to naming the key. */
export class SimulatedCredentials implements CredentialIssuer, CredentialVerifier {
  readonly #core: Core;
  #key = 1;
  #ids = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /** @returns a UUID, the next one */
  newId(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`;
  }

  rotate(): void {
    this.#key += 1;
  }

  async issue(
    { agentName, launchId, credentialId }: Required<AgentIdentity>,
    expiresAtEpochSeconds: number,
  ): Promise<string> {
    return [credentialMark, this.#key, agentName, launchId, credentialId, expiresAtEpochSeconds].join('.');
  }

  async verify(credential: string): Promise<AgentIdentity | undefined> {
    const [mark, key, agentName, launchId, credentialId, expires] = credential.split('.');
    if (mark !== credentialMark || key !== String(this.#key)) return undefined;
    if (agentName === undefined || launchId === undefined || credentialId === undefined) return undefined;
    if (!agentName.startsWith(agentNameOf(launchId))) return undefined;
    if (Number(expires) * 1000 <= this.#core.scheduler.nowEpochMs()) return undefined;
    return { agentName, launchId, credentialId };
  }
}
