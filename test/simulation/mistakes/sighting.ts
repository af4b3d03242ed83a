import * as z from 'zod';

/** The judges of a simulated run. */
export const judges = ['simulation', 'trace', 'history'] as const;
export type Judge = (typeof judges)[number];

/**
 * The first run in which a judge has seen that something is wrong, and what. `commands`: no world, but random commands to
 * davit's transitions.
 */
export const Sighting = z.object({ seed: z.int(), of: z.enum(['world', 'mixed world', 'commands']), rule: z.string() });
export type Sighting = z.infer<typeof Sighting>;

/** What each judge has seen of a mistake; a judge that has seen nothing is absent. */
export const Sightings = z.partialRecord(z.enum(judges), Sighting);
export type Sightings = z.infer<typeof Sightings>;
