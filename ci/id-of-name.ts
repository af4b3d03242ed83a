import { createHash } from 'node:crypto';

/**
 * Makes a number of 48 bits from a name. Some CI systems know things by their names alone, and davit's records know them
 * by numbers.
 */
export function idOf(name: string): number {
  return createHash('sha256').update(name).digest().readUIntBE(0, 6);
}
