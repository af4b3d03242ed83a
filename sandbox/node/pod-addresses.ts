import { createServer } from 'node:net';

/** The second octets of Pod addresses, which range from 127.64.0.1 to 127.127.255.254. */
const firstOctet = 64;
const octets = 64;

/** Allocates addresses to Pods. */
export interface PodAddresses {
  /** @throws RangeError if no address is left */
  allocate(): string;
  release(address: string): void;
}

/**
 * Allocates addresses in 127.64.0.0/10 if the machine can listen on them, as on Linux. Then two Pods can listen on the
 * same port. Otherwise, as on macOS, all Pods share 127.0.0.1, so Pods that run together need different ports.
 *
 * @param random returns a number from 0 up to 1. It chooses the first candidate, so that two sandboxes seldom collide
 * @param canListen tests whether this machine can listen on an address
 */
export async function podAddresses(random: () => number, canListen = listensOn): Promise<PodAddresses> {
  if (!(await canListen(`127.${firstOctet}.0.1`))) return { allocate: () => '127.0.0.1', release: () => undefined };
  const taken = new Set<number>();
  const size = octets * 0x1_00_00;
  return {
    allocate() {
      const first = Math.floor(random() * size);
      for (let step = 0; step < size; step += 1) {
        const candidate = (first + step) % size;
        const host = candidate & 0xff;
        if (host !== 0 && host !== 0xff && !taken.has(candidate)) {
          taken.add(candidate);
          return `127.${firstOctet + (candidate >> 16)}.${(candidate >> 8) & 0xff}.${host}`;
        }
      }
      throw new RangeError('no Pod address is left in 127.64.0.0/10');
    },
    release(address) {
      const [, second = 0, third = 0, host = 0] = address.split('.').map(Number);
      taken.delete(((second - firstOctet) << 16) | (third << 8) | host);
    },
  };
}

/** Tests whether a server can listen on an address of this machine, by starting one on a free port. */
export function listensOn(address: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, address, () => server.close(() => resolve(true)));
  });
}
