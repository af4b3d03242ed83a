import type { Mutant } from './mutant.ts';

/** What could be wrong with tokens. */
export const tokenMutants: readonly Mutant[] = [
  {
    name: 'a token is written in two steps',
    seed: 4,
    kinds: ['agentEager', 'hostLate'],
    breaks: '2: no token',
    mutation: {
      deps: (deps, { tokens }, invocation) => ({
        ...deps,
        tokens: {
          get: (agentName) => deps.tokens.get(agentName),
          publish: async (token) => {
            await invocation.writes('store', () => tokens.put({ ...token, port: 0 }));
            await invocation.writes('store', () => tokens.put(token));
            return token;
          },
        },
      }),
    },
  },
  {
    name: 'a token is read from a replica that may be behind',
    seed: 5,
    kinds: ['agentTwice', 'agentEager'],
    breaks: '2: no token',
    mutation: {
      deps: (deps, { core, tokens }, invocation) => ({
        ...deps,
        tokens: {
          publish: (token) => deps.tokens.publish(token),
          get: (agentName) =>
            core.random.chance(0.9)
              ? deps.tokens.get(agentName)
              : invocation.reads('store', () => tokens.getStale(agentName)),
        },
      }),
    },
  },
];
