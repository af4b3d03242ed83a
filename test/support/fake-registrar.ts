import type { RegistrationOutcome } from '../../core/launch/registration-outcome.ts';
import type { Registrar } from '../../ports/registrar.ts';

/** Answers as a test tells it to, and records the requests. */
export class FakeRegistrar implements Registrar {
  readonly asked: { launchId: string; agentName: string; nonce: string }[] = [];
  outcome: RegistrationOutcome = { outcome: 'registered', environment: { JOIN_WITH: 'a secret' } };
  /** Runs while an answer is on its way. */
  meanwhile: () => Promise<unknown> = async () => undefined;

  async register(
    { launchId, agentName }: Parameters<Registrar['register']>[0],
    nonce: string,
  ): Promise<RegistrationOutcome> {
    this.asked.push({ launchId, agentName, nonce });
    await this.meanwhile();
    return this.outcome;
  }
}
