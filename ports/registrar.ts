import type { RegistrationOutcome } from '../core/launch/registration-outcome.ts';
import type { AgentIdentity } from './credentials.ts';

/** Registers agents at their CI systems, for a function that may not read the CI systems' credentials. */
export interface Registrar {
  /**
   * Registers an agent whose registration began with this nonce. A repeat needs a new nonce.
   *
   * @throws TransientError StoreUnavailable when the outcome is unknown
   */
  register(agent: Pick<AgentIdentity, 'agentName' | 'launchId'>, nonce: string): Promise<RegistrationOutcome>;
}
