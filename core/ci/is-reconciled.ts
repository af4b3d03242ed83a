import type { Config } from '../config/config.ts';
import { actsIn } from './join-of.ts';

type Limited = { readonly [Key in 'ciSystems' | 'profiles' | 'limits']: readonly Config[Key][number][] };

/** Says whether a davit has anything to reconcile: CI systems in which it acts, or limits whose slots it counts. */
export function isReconciled({ ciSystems, profiles, limits }: Limited): boolean {
  return ciSystems.some(actsIn) || limits.length > 0 || profiles.some(({ maxAgents }) => maxAgents !== undefined);
}
