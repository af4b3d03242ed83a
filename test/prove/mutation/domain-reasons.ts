const sizeLabelMatches = 'every label that asks for a size matches the expression; only the types allow none';
const noQuantity = 'undefined is neither above nor at most any quantity; only its type asks';
const noAddress = 'what is no address is left out later; only the types ask for it here';
const notInTheTable = 'neither text is in the table';
const agentTwice = 'a container that is judged again changes nothing: the first verdict of a kind counts';
const unknownDisruption = 'a disruption that the table does not have is an eviction, too';
const liveHasPlan = 'a live launch has a record and a plan; only their types allow none';
const noFailover = 'a launch that cannot move has no cluster to move to, which the other condition says';
const refusalHasReason = 'a profile that refuses a size gives a reason; only the types allow none';

const missingByPath = "the config's problems tell a missing key by its path and its schema";

/** Why no test can notice a mutant of `core`, or need not: by the file, and by the code that it changes. */
export const domainReasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'admission-order': {
    'this.#compare(head, best) < 0': 'two jobs are never equal in the order: their keys differ',
    'one.jobKey < other.jobKey': 'no two jobs have one key',
    'line?.shift': 'a job that is settled is the first of its line; only its type allows none',
  },
  'agent-size': {
    '/^davit\\/([^=]*)(?:=(.*))?$/is':
      'a label that asks for a size begins with davit/, and the expression takes all of it',
    '[]': sizeLabelMatches,
    'name?.toLowerCase': sizeLabelMatches,
    "''": 'neither text is a name or a value that a profile allows',
    'key === undefined': 'without a key there is no rule, which the next condition says; only its type asks',
    'asked !== undefined && most !== undefined': noQuantity,
    'asked !== undefined': noQuantity,
    'most !== undefined': noQuantity,
    'nano === undefined': noQuantity,
  },
  'ci-system-config': {
    '/^https?:$/': 'a protocol ends in its colon, and one that only ends in https: has no origin to compare',
  },
  'cluster-state': {
    "report.kind === 'failed'": 'only the report of a failure has a beginning, which the last condition compares',
    'planned !== undefined': 'no time is later than undefined',
    'reason === undefined': 'a state without a reason has no failures to forget',
    '(known.failures === undefined) === (next.failures === undefined)':
      'failures come and go with their reason, which is compared, too',
    'next.failures !== undefined': 'failures that end are news already, by their reason',
  },
  'describe-pod': { '[]': 'a text has no name', "''": 'neither text is a reason whose message the node writes' },
  diagnostics: {
    'bytes.length <= mostLogBytes': 'the last 4 KiB of a log of 4 KiB are the whole log',
    'lastState?.terminated': 'a container that was started, and neither runs nor has ended, has a last state',
  },
  errors: { 'code !== undefined': 'undefined is none of the codes; only its type asks' },
  'event-times': { "''": 'neither text is a time' },
  'execution-ending': { "'Terminated'": 'the one that writes this error and all that read it use this constant' },
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
  names: { '/^davit-/': "an agent's name begins with davit-, and only the first davit- is removed" },
  'nano-quantity': {
    '[]': 'a list of one has no second element either',
    "''": 'the two lists give the absent suffix the same meaning: one of them is enough',
    'exponent >= 0': 'a division by 1 changes nothing',
  },
  'plan-launch': { '[]': noFailover, 'failover === undefined': noFailover },
  pool: { 'Math.abs(one) < Math.abs(other)': 'two equal numbers are the same' },
  'preferred-clusters': { 'hash + 0.5': 'only one hash of 2^32 would draw a number that is not between 0 and 1' },
  profile: {
    "'agent'": 'a profile without the field has that default already, and a malformed field is reported anyway',
    "'custom'": missingByPath,
    "'missing'": missingByPath,
    '[]': 'every issue of a schema has a path; only its type allows none',
  },
  'runner-preset': { '[]': "a text is no agent's container" },
  'read-address': {
    '[]': 'a text has no address',
    '[...reported].filter((ip) => ip !== undefined)': noAddress,
    'ip !== undefined': noAddress,
    'allocated !== undefined': 'undefined is not above 0; only its type asks',
  },
  timeline: { '[]': 'a text has no state' },
  'weekly-schedule': {
    "''": 'a time zone formats every moment, with all parts; only the types allow less',
    '{\n    return false;\n  }': 'nothing is no time zone either',
    'parts.find(({ type }) => type === wanted)?.value': 'a format has all parts; only its type allows none',
  },
  'repository-glob': { '/\\*+/g': 'two stars match what one matches' },
};
