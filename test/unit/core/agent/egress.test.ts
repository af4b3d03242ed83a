import { Egress } from '../../../../core/agent/egress.ts';

test.each([
  ['all of the internet', 'internet'],
  ['a private network', '10.20.0.0/16'],
  ['an IPv6 network', 'fd12::/64'],
  ['every address, whose exceptions the policy names', '0.0.0.0/0'],
])('%s may be named', (_what, network) => {
  expect(Egress.parse([network])).toEqual([network]);
});

test.each([
  ['a name', 'intranet', 'expected internet, or a network such as 10.20.0.0/16'],
  ['an address without a length', '10.20.0.7', 'expected internet, or a network such as 10.20.0.0/16'],
  ['a metadata service', '169.254.169.254/32', 'expected no link-local network and no metadata service'],
  ['a metadata service through NAT64', '64:ff9b::a9fe:a9fe/128', 'expected no link-local network and no metadata'],
  ['an IPv4-mapped address', '::ffff:169.254.169.254/128', 'expected an IPv4 network as such'],
])('%s is refused', (_what, network, problem) => {
  const { error } = Egress.safeParse(['internet', network]);

  expect(error?.issues).toMatchObject([{ path: [1], message: expect.stringContaining(problem) }]);
});
