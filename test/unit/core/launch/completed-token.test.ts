import * as fc from 'fast-check';
import {
  CompletedToken,
  completeToken,
  Host,
  PublishedToken,
  type TokenParts,
} from '../../../../core/launch/completed-token.ts';

const parts: TokenParts = {
  agentName: 'davit-github-1-2-1',
  launchId: 'github-1-2-1',
  host: '10.0.0.7',
  port: 30_080,
  tls: false,
  publishedAtEpochMs: 1_767_225_600_000,
  expiresAtEpochMs: 1_767_236_400_000,
};

const anywhere = ['0.0.0.0', '::', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '0', '0.0', '0.0.0.0.', '0x0'];
const noHosts = ['', ' ', 'a b', '10.0.0', '256.1.1.1', '10.0.0.7:80', '[::1]', '-a', 'a..b', 'ä'];

test('a token has everything that an agent needs, its times in ISO 8601', () => {
  expect(completeToken(parts)).toEqual({
    agentName: 'davit-github-1-2-1',
    launchId: 'github-1-2-1',
    host: '10.0.0.7',
    port: 30_080,
    tls: false,
    publishedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T03:00:00.000Z',
  });
});

describe('no token is made', () => {
  const anyPart = fc.constantFrom(...Object.keys(parts));

  test('with a part missing or empty', () => {
    fc.assert(
      fc.property(anyPart, fc.constantFrom(undefined, null, '', 0, Number.NaN), (part, nothing) => {
        expect(() => completeToken({ ...parts, [part]: nothing })).toThrow();
      }),
    );
  });

  test('with a port that is not a whole number from 1 to 65535', () => {
    const noPort = fc.oneof(
      fc.constantFrom(0, -0, -1, 65_536, 1.5, Number.POSITIVE_INFINITY, Number.NaN),
      fc.integer({ max: 0 }),
      fc.integer({ min: 65_536 }),
      fc.double({ noInteger: true }),
    );
    fc.assert(
      fc.property(noPort, (port) => {
        expect(() => completeToken({ ...parts, port })).toThrow();
      }),
    );
  });

  test.each(anywhere)('with the host %s, which stands for any address', (host) => {
    expect(() => completeToken({ ...parts, host })).toThrow('expected an address that can be dialled');
  });

  test.each(noHosts)('with the host %j', (host) => {
    expect(() => completeToken({ ...parts, host })).toThrow();
  });
});

test('any port from 1 to 65535 and any address of either family makes a token, unchanged', () => {
  const anyHost = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()).filter((host) => !/^(::ffff:)?[0:.]+$/i.test(host));
  fc.assert(
    fc.property(anyHost, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
      expect(completeToken({ ...parts, host, port })).toMatchObject({ host, port });
    }),
  );
});

test.each(['10.0.0.7', '127.0.0.1', '::1', 'fd00::7', 'node-1', 'node-1.internal', 'node-1.internal.'])(
  '%s is a host that agents can be dialled at',
  (host) => {
    expect(Host.parse(host)).toBe(host);
  },
);

test('a field of a later version is omitted', () => {
  const token = completeToken(parts);

  expect(CompletedToken.parse({ ...token, containerPort: 8811 })).toEqual(token);
});

test('a published token is read with the id of its credential and its timeline', () => {
  const published = {
    token: completeToken(parts),
    credentialId: '00000000-0000-4000-8000-000000000001',
    timeline: { podMs: 1500 },
  };

  expect(PublishedToken.parse(published)).toEqual(published);
});
