import { BlockList, isIPv6 } from 'node:net';
import * as z from '../zod.ts';

/** What a profile calls every address that is not of a private network. */
export const internet = 'internet';

/**
 * What no job may reach, whatever its profile names: the link-local networks, and the other addresses at which a cloud
 * tells a node its secrets (Amazon's, Google's and Azure's own, and Alibaba's metadata service). The last three are the
 * IPv4 ones, as a translator to IPv4 (RFC 6052) is asked for them.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * @see https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const neverReached = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '64:ff9b::a9fe:0/112',
  '64:ff9b::a83f:8110/128',
  '64:ff9b::6464:64c8/128',
];

/** The private networks, which are not the internet. @see RFC 1918, RFC 6598, RFC 4193 */
const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

const Network = z.string().check(
  z.refine((text) => text === internet || isNetwork(text), {
    error: `expected ${internet}, or a network such as 10.20.0.0/16`,
    abort: true,
  }),
  z.refine((text) => text === internet || !contains('::ffff:0:0/96', text), {
    error: 'expected an IPv4 network as such: no packet has an IPv4-mapped address',
    abort: true,
  }),
  z.refine((text) => text === internet || !neverReached.some((never) => contains(never, text)), {
    error: 'expected no link-local network and no metadata service: a job reads the secrets of its node there',
  }),
);

/** The networks that a profile's agents may connect to. */
export const Egress = z.array(Network);

/** A block of addresses, as a NetworkPolicy names it. */
export interface IpBlock {
  cidr: string;
  except?: string[];
}

/** Makes the blocks of addresses that a profile names, without those that no job may reach. */
export function ipBlocksOf(egress: readonly string[]): IpBlock[] {
  return egress.flatMap((network) =>
    network === internet
      ? ['0.0.0.0/0', '::/0'].map((all) => blockOf(all, [...privateNetworks, ...neverReached]))
      : [blockOf(network, neverReached)],
  );
}

/** Says whether a block of addresses has the address at which a cloud tells a node its own credentials. */
export function hasMetadataService({ cidr, except = [] }: IpBlock): boolean {
  const address = '169.254.169.254/32';
  return contains(cidr, address) && !except.some((network) => contains(network, address));
}

function blockOf(cidr: string, excepted: readonly string[]): IpBlock {
  const within = excepted.filter((network) => contains(cidr, network));
  // A network within another one of the list would add nothing.
  const except = within.filter((network) => !within.some((other) => other !== network && contains(other, network)));
  return except.length === 0 ? { cidr } : { cidr, except };
}

function isNetwork(text: string): boolean {
  return z.union([z.cidrv4(), z.cidrv6()]).safeParse(text).success;
}

/** Says whether a network has all addresses of another one. */
function contains(network: string, other: string): boolean {
  const [outer, inner] = [partsOf(network), partsOf(other)];
  if (outer.family !== inner.family || outer.bits > inner.bits) return false;
  const block = new BlockList();
  block.addSubnet(outer.address, outer.bits, outer.family);
  return block.check(inner.address, inner.family);
}

function partsOf(network: string) {
  const [address = '', bits = ''] = network.split('/');
  return { address, bits: Number(bits), family: isIPv6(address) ? ('ipv6' as const) : ('ipv4' as const) };
}
