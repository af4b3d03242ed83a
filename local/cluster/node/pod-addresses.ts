/** The second octets from which Pods get their addresses: 127.64.0.1 to 127.127.255.254. */
const FIRST_OCTET = 64;
const OCTETS = 64;

/** Gives each Pod an address of its own. */
export interface PodAddresses {
  /** @throws RangeError when there is none left */
  allocate(): string;
  release(address: string): void;
}

/**
 * Gives addresses out of 127.64.0.0/10: Linux answers on all of 127/8, so that two Pods can listen on the same port.
 * Elsewhere only 127.0.0.1 answers, and all Pods share it.
 *
 * @param random a number from 0 up to 1; where to look first, so that two sandboxes on a machine seldom meet
 */
export function podAddresses(random: () => number, platform: NodeJS.Platform = process.platform): PodAddresses {
  if (platform !== 'linux') {
    return { allocate: () => '127.0.0.1', release: () => undefined };
  }
  const taken = new Set<number>();
  const size = OCTETS * 0x1_00_00;
  return {
    allocate() {
      const first = Math.floor(random() * size);
      for (let step = 0; step < size; step += 1) {
        const candidate = (first + step) % size;
        const host = candidate & 0xff;
        if (host !== 0 && host !== 0xff && !taken.has(candidate)) {
          taken.add(candidate);
          return `127.${FIRST_OCTET + (candidate >> 16)}.${(candidate >> 8) & 0xff}.${host}`;
        }
      }
      throw new RangeError('no Pod address is left in 127.64.0.0/10');
    },
    release(address) {
      const [, second = 0, third = 0, host = 0] = address.split('.').map(Number);
      taken.delete(((second - FIRST_OCTET) << 16) | (third << 8) | host);
    },
  };
}
