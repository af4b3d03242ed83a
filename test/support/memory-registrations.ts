import type { Registrations } from '../../functions/ports/registrations.ts';
import { registrationsIn } from '../../functions/records/registrations-in.ts';
import type { MemoryLaunches } from './memory-launches.ts';

/** The registrations of launches in memory. */
export function memoryRegistrations({ records }: MemoryLaunches): Registrations {
  return registrationsIn(records);
}
