import type { Registrations } from '../../functions/ports/registrations.ts';
import { RegistrationsIn } from '../../simulation/world/registrations.ts';
import type { MemoryLaunches } from './memory-launches.ts';

/** The registrations of launches in memory. */
export function memoryRegistrations(launches: MemoryLaunches): Registrations {
  return new RegistrationsIn({
    get: (launchId) => launches.get(launchId),
    updateIf: async (launchId, condition, change) => launches.updateIf(launchId, condition, change),
  });
}
