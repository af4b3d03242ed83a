import { agentNameOf } from '../../../functions/domain/names.ts';
import type { AgentIdentity, CredentialIssuer, CredentialVerifier } from '../../../functions/ports/credentials.ts';
import type { Core } from './core.ts';

/** What every credential starts with, as a JWT does, so that one that leaks is found by it. */
export const credentialMark = 'eyJzaW11bGF0ZWQ';

/** The credentials' key, which people may rotate; signing is simplified to naming the key. */
export class SimulatedCredentials implements CredentialIssuer, CredentialVerifier {
  readonly #core: Core;
  #key = 1;

  constructor(core: Core) {
    this.#core = core;
  }

  rotate(): void {
    this.#key += 1;
  }

  async issue({ agentName, launchId }: AgentIdentity, expiresAtEpochSeconds: number): Promise<string> {
    return [credentialMark, this.#key, agentName, launchId, expiresAtEpochSeconds].join('.');
  }

  async verify(credential: string): Promise<AgentIdentity | undefined> {
    const [mark, key, agentName, launchId, expires] = credential.split('.');
    if (mark !== credentialMark || key !== String(this.#key)) return undefined;
    if (agentName === undefined || launchId === undefined || !agentName.startsWith(agentNameOf(launchId)))
      return undefined;
    if (Number(expires) * 1000 <= this.#core.scheduler.nowEpochMs()) return undefined;
    return { agentName, launchId };
  }
}
