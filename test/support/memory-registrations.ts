import { registrationsIn } from '../../logic/records/registrations-in.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { MemoryLaunches } from './memory-launches.ts';

/** The registrations of launches in memory. */
export function memoryRegistrations({ records }: MemoryLaunches): Registrations {
  return registrationsIn(records);
}
