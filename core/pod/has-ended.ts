import type { PodView } from './kubernetes-objects.ts';

/** Tells whether a Pod is over: only the phases Succeeded and Failed are. */
export function hasEnded({ status }: PodView): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
