import type { RegistrationOutcome } from '../domain/registration-outcome.ts';
import type { AgentIdentity } from './credentials.ts';

/** Registers agents at their CI systems, for a function that may not read the CI systems' credentials. */
export interface Registrar {
  /**
   * Registers an agent whose registration was begun with this nonce. A repeat needs a nonce of its own.
   *
   * @throws TransientError StoreUnavailable when nobody knows what came of it
   */
  register(agent: Pick<AgentIdentity, 'agentName' | 'launchId'>, nonce: string): Promise<RegistrationOutcome>;
}
