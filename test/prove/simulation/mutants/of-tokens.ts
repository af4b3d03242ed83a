import { withPort } from './doubles.ts';
import type { Mutant } from './mutant.ts';

export const tokenMutants: readonly Mutant[] = [
  {
    name: 'a token is written in two steps',
    world: { seed: 52, kinds: ['agentEager', 'hostLate'] },
    breaks: '2: no token',
    mutation: withPort('tokens', (_own, { world: { tokens }, invocation }) => ({
      publish: async (published) => {
        const incomplete = { ...published, token: { ...published.token, port: 0 } };
        await invocation.writes('store', () => tokens.put(incomplete));
        await invocation.writes('store', () => tokens.put(published));
        return published;
      },
    })),
  },
  {
    name: 'a token is read from a replica that may be behind',
    world: { seed: 9, kinds: ['agentTwice', 'agentEager'] },
    breaks: '2: no token',
    mutation: withPort('tokens', (own, { world: { core, tokens }, invocation }) => ({
      get: (agentName) =>
        core.random.chance(0.9) ? own.get(agentName) : invocation.reads('store', () => tokens.getStale(agentName)),
    })),
  },
  {
    name: "a token is told to whoever has the agent's name, and not only to its own Pod",
    world: { seed: 465, kinds: ['clusterLateEffect', 'deletedByOthers'] },
    breaks: '2: an agent',
    mutation: withPort('credentials', (credentials, { deps }) => ({
      verify: async (credential) => {
        const identity = await credentials.verify(credential);
        const published = identity && (await deps.tokens.get(identity.agentName));
        return identity && { ...identity, credentialId: published?.credentialId ?? '' };
      },
    })),
  },
  {
    name: 'a token that was published is written again',
    world: { seed: 6, kinds: ['invokeAnswerLost', 'agentEager', 'clockSkew'] },
    breaks: '2: no token',
    mutation: withPort('tokens', (_own, { world: { tokens }, invocation }) => ({
      publish: async (published) => {
        await invocation.writes('store', () => tokens.put(published));
        return published;
      },
    })),
  },
];
