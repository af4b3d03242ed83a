import * as fc from 'fast-check';
import type { CompletedToken, PublishedToken } from '../../core/launch/completed-token.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import type { TokenPublisher, TokenReader } from '../../ports/tokens.ts';
import { credentialIdOf } from './launch-fixtures.ts';

/** Both sides of one tokens table. */
export interface Tokens {
  reader: TokenReader;
  publisher: TokenPublisher;
}

const anyMoment = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

const anyToken: fc.Arbitrary<CompletedToken> = fc.record({
  agentName: fc.constant(agentNameOf('job')),
  launchId: fc.constant('job'),
  host: fc.oneof(
    fc.ipV4().filter((host) => host !== '0.0.0.0'),
    fc.constantFrom('2001:db8::7', 'node-7.example.com'),
  ),
  port: fc.integer({ min: 1, max: 65_535 }),
  tls: fc.boolean(),
  publishedAt: anyMoment,
  expiresAt: anyMoment,
});

const anyPublished: fc.Arbitrary<PublishedToken> = fc.record(
  { token: anyToken, credentialId: fc.string() },
  { requiredKeys: ['token'] },
);

function tokenOf(launchId: string, port: number): PublishedToken {
  const token = {
    agentName: agentNameOf(launchId),
    launchId,
    host: '10.0.0.7',
    port,
    tls: false,
    publishedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T01:00:00.000Z',
  };
  return { token, credentialId: credentialIdOf(port) };
}

/** The contract of every tokens table. @param makeTokens returns an empty table each time */
export function describeTokens(name: string, makeTokens: () => Promise<Tokens>): void {
  describe(`tokens (${name})`, () => {
    test('an agent without a token has none', async () => {
      const { reader, publisher } = await makeTokens();
      await publisher.publish(tokenOf('job-a', 30_001));

      expect(await reader.get(agentNameOf('job-b'))).toBeUndefined();
    });

    test('a token is read as it was published', async () => {
      await fc.assert(
        fc.asyncProperty(anyPublished, async (published) => {
          const { reader, publisher } = await makeTokens();

          expect(await publisher.publish(published)).toEqual(published);
          expect(await reader.get(published.token.agentName)).toEqual(published);
        }),
      );
    });

    test('the first token of an agent stays, and a second publisher gets it', async () => {
      const { reader, publisher } = await makeTokens();
      const first = tokenOf('job', 30_001);

      await publisher.publish(first);
      const inEffect = await publisher.publish(tokenOf('job', 30_002));

      expect(inEffect).toEqual(first);
      expect(await reader.get(agentNameOf('job'))).toEqual(first);
    });

    test('a launch that publishes its token again gets its own', async () => {
      const { publisher } = await makeTokens();
      const token = tokenOf('job', 30_001);

      await publisher.publish(token);

      expect(await publisher.publish(token)).toEqual(token);
    });

    test("many publishers race: one wins, and no reader ever sees another's token", async () => {
      const { reader, publisher } = await makeTokens();
      const ports = Array.from({ length: 20 }, (_, index) => 30_000 + index);

      const calls = ports.map(async (port) => [
        await publisher.publish(tokenOf('job', port)),
        await reader.get(agentNameOf('job')),
      ]);
      const early = ports.map(() => reader.get(agentNameOf('job')));
      const seen = [...(await Promise.all(calls)).flat(), ...(await Promise.all(early)).filter(Boolean)];

      const winner = await reader.get(agentNameOf('job'));
      expect(winner).toBeDefined();
      for (const each of seen) expect(each).toEqual(winner);
    });
  });
}
