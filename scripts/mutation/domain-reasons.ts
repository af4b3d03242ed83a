const notInTheTable = 'neither text is in the table';
const agentTwice = 'a container that is judged again changes nothing: the first verdict of a kind counts';
const unknownDisruption = 'a disruption that the table does not have is an eviction, too';
const liveHasPlan = 'a live launch has a record and a plan; only their types allow none';
const refusalHasReason = 'a profile that refuses a size gives a reason; only the types allow none';

/** Why no test can notice a mutant of `functions/domain`, or need not: by the file, and by the code that it changes. */
export const domainReasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'judge-containers': {
    "containers.filter(({ role }) => role !== 'regular')": agentTwice,
    "role !== 'regular'": agentTwice,
    "'regular'": agentTwice,
    "''": notInTheTable,
    'waiting === undefined': 'a container that does not wait has no reason to wait, which the next condition says too',
    'status.state?.terminated': 'a container that is over has a state; only its type allows none',
  },
  'judge-disruption': {
    "''": notInTheTable,
    '[]': 'a text is no condition',
    'condition?.reason': 'without a reason of the Pod there is a condition; only its type allows none',
    "['EvictionByEvictionAPI', 'PodEvicted']": unknownDisruption,
    "'EvictionByEvictionAPI'": unknownDisruption,
    "['TerminationByKubelet', 'PodEvicted']": unknownDisruption,
    "'TerminationByKubelet'": unknownDisruption,
  },
  'judge-events': {
    "''": 'neither text is in the table, or the beginning of a cancellation',
    "verdict.kind === 'terminal'": 'no verdict of another kind has these codes; only the types allow it',
  },
  'judge-pod-setup': { "''": notInTheTable },
  'launch-record': {
    '[]': 'a text has no cluster',
    'record?.plan?.agentName': liveHasPlan,
    'record?.plan': liveHasPlan,
    'record?.retiring': liveHasPlan,
    'record?.runs': liveHasPlan,
  },
  'match-profile': {
    'refusing !== undefined && reading?.reason !== undefined': refusalHasReason,
    'refusing !== undefined': refusalHasReason,
    'reading?.reason !== undefined': refusalHasReason,
    'reading?.reason': refusalHasReason,
  },
};
