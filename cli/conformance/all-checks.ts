import type { Check } from './check.ts';
import { accessReviews } from './checks/access-reviews.ts';
import { admission } from './checks/admission.ts';
import { events } from './checks/events.ts';
import { eviction } from './checks/eviction.ts';
import { gracefulDeletion } from './checks/graceful-deletion.ts';
import { lists } from './checks/lists.ts';
import { nameTaken, uidPrecondition } from './checks/names.ts';
import { nodePort, nodePortTaken } from './checks/node-ports.ts';
import { ownerReferences } from './checks/owner-references.ts';
import { placement, unschedulable } from './checks/placement.ts';
import { quota } from './checks/quota.ts';
import { version } from './checks/version.ts';
import { watchExpiry, watchResumption } from './checks/watch-resumption.ts';

/** Every check, in the order in which they run. */
export const allChecks: readonly Check[] = [
  version,
  accessReviews,
  watchResumption,
  watchExpiry,
  lists,
  ownerReferences,
  nodePort,
  nodePortTaken,
  nameTaken,
  uidPrecondition,
  admission,
  quota,
  eviction,
  placement,
  unschedulable,
  events,
  gracefulDeletion,
];
