import type { SigningSecrets } from '../../../../ports/secrets.ts';
import { simulatedCredentials } from '../../../../simulation/world/credentials.ts';
import type { Mutation } from '../../../../simulation/world/world.ts';
import { withPort } from './doubles.ts';
import type { Mutants } from './mutant.ts';

function withSecrets(change: (secrets: SigningSecrets) => SigningSecrets): Mutation {
  return {
    deps: (deps) => {
      const secretsOf = (id: string) => change(deps.secretsOf(id));
      return { ...deps, secretsOf, credentials: simulatedCredentials(secretsOf, deps.nowEpochMs) };
    },
  };
}

/** The newest version and the earlier ones. */
async function newestFirst(secrets: ReturnType<SigningSecrets['accepted']>) {
  return (await secrets).toSorted((one, other) => other.id.localeCompare(one.id));
}

const newestOnly = withSecrets((secrets) => ({
  accepted: async () => (await newestFirst(secrets.accepted())).slice(0, 1),
  refreshed: async () => (await newestFirst(secrets.refreshed())).slice(0, 1),
}));

/** Defects of tokens, and of the rotation of secrets. */
export const secretMutants: Mutants = {
  "only the current version of the credentials' key is accepted": {
    world: { seed: 5, kinds: ['keyRotated', 'hostLate'], breaks: 'signatures' },
    mutation: newestOnly,
  },
  "only the current version of the webhooks' secret is accepted": {
    world: { seed: 3, kinds: ['webhookSecretRotated', 'webhookTwice'], breaks: 'signatures' },
    mutation: newestOnly,
  },
  'secrets are not looked at again for a signature that none of them made': {
    world: { seed: 22, kinds: ['webhookSecretRotated', 'webhookTwice'], breaks: 'signatures' },
    mutation: withSecrets((secrets) => ({ ...secrets, refreshed: () => secrets.accepted() })),
  },
  'a new key signs before everybody can have looked again': {
    world: {
      seed: 458,
      kinds: ['keyRotated', 'credentialForged', 'crashBeforeWrite', 'agentEager'],
      breaks: 'signatures',
    },
    mutation: withSecrets((secrets) => ({ ...secrets, accepted: () => newestFirst(secrets.accepted()) })),
  },
  'a token is written in two steps': {
    world: { seed: 52, kinds: ['agentEager', 'hostLate'], breaks: '2: no token' },
    mutation: withPort('tokens', (_own, { world: { tokens }, invocation }) => ({
      publish: async (published) => {
        const incomplete = { ...published, token: { ...published.token, port: 0 } };
        await invocation.writes('store', () => tokens.put(incomplete));
        await invocation.writes('store', () => tokens.put(published));
        return published;
      },
    })),
  },
  'a token is read from a replica that may be behind': {
    world: { seed: 9, kinds: ['agentTwice', 'agentEager'], breaks: '2: no token' },
    mutation: withPort('tokens', (own, { world: { core, tokens }, invocation }) => ({
      get: (agentName) =>
        core.random.chance(0.9) ? own.get(agentName) : invocation.reads('store', () => tokens.getStale(agentName)),
    })),
  },
  "a token is told to whoever has the agent's name, and not only to its own Pod": {
    world: { seed: 465, kinds: ['clusterLateEffect', 'deletedByOthers'], breaks: '2: an agent' },
    mutation: withPort('credentials', (credentials, { deps }) => ({
      verify: async (credential) => {
        const identity = await credentials.verify(credential);
        const published = identity && (await deps.tokens.get(identity.agentName));
        return identity && { ...identity, credentialId: published?.credentialId ?? '' };
      },
    })),
  },
  'a token that was published is written again': {
    world: { seed: 6, kinds: ['invokeAnswerLost', 'agentEager', 'clockSkew'], breaks: '2: no token' },
    mutation: withPort('tokens', (_own, { world: { tokens }, invocation }) => ({
      publish: async (published) => {
        await invocation.writes('store', () => tokens.put(published));
        return published;
      },
    })),
  },
};
