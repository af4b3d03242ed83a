import type { Socket } from 'node:net';

/** Passes on what each of two connections receives to the other. A failure of one ends both. */
export function joinSockets(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  one.on('error', () => other.destroy());
  other.on('error', () => one.destroy());
}
