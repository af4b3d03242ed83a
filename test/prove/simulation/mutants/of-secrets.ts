import type { SigningSecrets } from '../../../../ports/secrets.ts';
import { simulatedCredentials } from '../../../../simulation/world/credentials.ts';
import { signingSecrets } from '../../../../simulation/world/secrets.ts';
import type { Mutation } from '../../../../simulation/world/world.ts';
import type { Mutant } from './mutant.ts';

function withSecrets(change: (secrets: SigningSecrets) => SigningSecrets): Mutation {
  return {
    deps: (deps) => {
      const secretsOf = (id: string) => change(deps.secretsOf(id));
      const keys: SigningSecrets = {
        accepted: () => secretsOf(signingSecrets.credentials).accepted(),
        refreshed: () => secretsOf(signingSecrets.credentials).refreshed(),
      };
      return { ...deps, secretsOf, credentials: simulatedCredentials(keys, deps.nowEpochMs) };
    },
  };
}

/** The newest version and the earlier ones. */
async function newestFirst(secrets: ReturnType<SigningSecrets['accepted']>) {
  return (await secrets).toSorted((one, other) => other.id.localeCompare(one.id));
}

/** Defects of the rotation of secrets. */
export const secretMutants: readonly Mutant[] = [
  {
    name: "only the current version of the credentials' key is accepted",
    world: { seed: 5, kinds: ['keyRotated', 'hostLate'] },
    breaks: 'signatures',
    mutation: withSecrets((secrets) => ({
      accepted: async () => (await newestFirst(secrets.accepted())).slice(0, 1),
      refreshed: async () => (await newestFirst(secrets.refreshed())).slice(0, 1),
    })),
  },
  {
    name: "only the current version of the webhooks' secret is accepted",
    world: { seed: 3, kinds: ['webhookSecretRotated', 'webhookTwice'] },
    breaks: 'signatures',
    mutation: withSecrets((secrets) => ({
      accepted: async () => (await newestFirst(secrets.accepted())).slice(0, 1),
      refreshed: async () => (await newestFirst(secrets.refreshed())).slice(0, 1),
    })),
  },
  {
    name: 'secrets are not looked at again for a signature that none of them made',
    world: { seed: 22, kinds: ['webhookSecretRotated', 'webhookTwice'] },
    breaks: 'signatures',
    mutation: withSecrets((secrets) => ({ ...secrets, refreshed: () => secrets.accepted() })),
  },
  {
    name: 'a new key signs before everybody can have looked again',
    world: { seed: 458, kinds: ['keyRotated', 'credentialForged', 'crashBeforeWrite', 'agentEager'] },
    breaks: 'signatures',
    mutation: withSecrets((secrets) => ({ ...secrets, accepted: () => newestFirst(secrets.accepted()) })),
  },
];
