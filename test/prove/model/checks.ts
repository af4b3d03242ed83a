/** The properties that the models prove for every run: davit's numbered invariants, and others with a name. */
export const properties = {
  '1': 'davit creates a Pod only for a Service that already has its nodePort',
  '2': 'an agent gets a complete token of its own Pod; one conditional write makes the token, and nothing changes it',
  '3': "a launch begins again only when its Pod's phase is over, or its Pod or Service is deleted",
  '4': 'one launch admits one agent, and none if its job was over before the launch began',
  '5': 'at rest, nothing is left of a launch that is over: before any sweep if no process died, else after one sweep',
  '6': 'after a 2xx the caller need not ask again: the launch has begun or is over; at rest, the launch of a completed job is over',
  '7': 'davit deletes only objects that have the uid and the label that it read',
  '9': 'an agent that has connected is ended by its job or a person, or when its CI gives it nothing more to run',
  '10': 'at rest no runner is left of what is over, and what is to be retired is over, or had its job',
  'sent away': 'an agent is told to ask again only if its launch was under way when davit looked for the last time',
  connection: 'a failed call counts only if it began after the last answer that davit knows of',
  lists: 'a list that davit takes for whole has everything that was in it all the time',
  'run again': 'davit has a lost job run again once, and only while no later attempt of it has begun',
  'stand by':
    'at rest, no job waits: whichever jobs the agents of other jobs get, an agent comes for each that waits; none that stands by registers unasked',
  'every launch ends': 'at rest, each launch is connected, is cleaned up, or was never requested',
  'no run goes in circles':
    'every run comes to rest, however slow a process is, so it reaches a state in which the properties at rest hold',
} as const;
export type Property = keyof typeof properties;

/** The numbers by which the models' macro `hold` names the properties that are no numbered invariants. */
export const namedProperties: Readonly<Record<string, Property>> = {
  '100': 'every launch ends',
  '101': 'sent away',
  '102': 'connection',
  '103': 'lists',
  '104': 'run again',
  '105': 'stand by',
};

/** The models, in the order of docs/model.md. */
export const models = [
  'launch.pml',
  'queue.pml',
  'clusters.pml',
  'connect.pml',
  'connection.pml',
  'lists.pml',
  'reruns.pml',
  'barrier.pml',
  'standby.pml',
] as const;
export type Model = (typeof models)[number];

/** A search through all states of a model with these macros defined. */
export interface ModelCheck {
  /** The search's name, for people. */
  title: string;
  defines: readonly string[];
  /** @default launch.pml */
  model?: Model;
  /** Looks for a run that goes in circles, instead of a false assertion or a standstill. */
  cycles?: true;
  /** Takes longer than all short searches together: `--quick` skips it. */
  long?: true;
}

/** A broken variant of the protocol, which the model must refute. */
export interface BrokenVariant extends ModelCheck {
  refutes: Property;
}

/** The model of a search. */
export function modelOf({ model = 'launch.pml' }: ModelCheck): Model {
  return model;
}

/** @param macros those that are defined, with spaces between them */
function search(title: string, macros = ''): ModelCheck {
  return { title, defines: macros.split(' ').filter(Boolean) };
}

function longSearch(title: string, macros?: string): ModelCheck {
  return { ...search(title, macros), long: true };
}

function broken(refutes: Property, title: string, macros: string): BrokenVariant {
  return { ...search(title, macros), refutes };
}

function of<const Check extends ModelCheck>(model: Model, ...searches: readonly Check[]): Check[] {
  return searches.map((each) => ({ ...each, model }));
}

const runTwice = 'AGENTS=1 REGISTRATIONS=2 TWICE';
const oneMove = 'GENERATIONS=2';
const orphaned = 'AGENTS=1 PERSON ORPHANS';
const broughtBack = 'GITLAB PERSON';
const registeredTwice = 'AGENTS=1 REGISTRATIONS=2 FAULTS=1';

/**
 * The searches that must find no violation. The last three look for circles; each of the others checks all other
 * properties of its model.
 */
export const checks: readonly ModelCheck[] = [
  longSearch('one launch, a crash anywhere, sweeps at any moment'),
  search('one launch, others interfere, sweeps at any moment', 'FAULTS=0 OTHERS'),
  longSearch('one launch, others interfere, a crash anywhere', 'OTHERS SWEPT_AT_REST'),
  search('one launch, two crashes, no relaunch', 'FAULTS=2 GENERATIONS=1 SWEPT_AT_REST'),
  longSearch('two launches of one name', 'JOBS=2 FAULTS=0 SWEPT_AT_REST'),
  longSearch('two launches of one name, a crash anywhere, no relaunch', 'JOBS=2 GENERATIONS=1 SWEPT_AT_REST'),
  ...of(
    'queue.pml',
    search('a queue: two agents, two jobs, a Gitea'),
    search('a queue: two agents, two jobs, a GitHub', 'GITHUB'),
    search("a queue: an agent's name on another's runner", 'IMPOSTOR'),
    search('a queue: two registrations of one agent, a crash anywhere, a person', `${registeredTwice} PERSON IMPOSTOR`),
    search('a queue: two registrations of one agent at a GitHub, a crash anywhere', `${registeredTwice} GITHUB`),
    search(
      'a queue: each of two questions of one agent run twice, a crash anywhere, a person',
      `${runTwice} FAULTS=1 PERSON`,
    ),
    search(
      'a queue: each of two questions of one agent run twice at a GitHub, a crash anywhere',
      `${runTwice} FAULTS=1 GITHUB`,
    ),
    search('a queue: a person, and orphans are taken out at any moment', orphaned),
    search('a queue: a person, and orphans are taken out of a GitHub at any moment', `${orphaned} GITHUB`),
  ),
  ...of(
    'clusters.pml',
    longSearch('two clusters: a move, two late effects or crashes, two outages', `${oneMove} FAULTS=2`),
    longSearch('two clusters: a move and a relaunch, one late effect or crash'),
    longSearch('two clusters: a move, and the profiles no longer name the first', `${oneMove} DROPPED`),
  ),
  ...of('connect.pml', search('connect: three questions of an agent')),
  ...of('connection.pml', search('a connection: two callers, a cluster that freezes twice')),
  ...of(
    'lists.pml',
    search('a list: two of six things go while it is read'),
    search('a list: pages as long as asked for', 'MOST=4'),
  ),
  ...of('reruns.pml', search('a lost job: two reconciles, and people run it again')),
  ...of(
    'barrier.pml',
    search("a barrier: a GitHub's delete, which refuses, two deaths", 'GITHUB'),
    search('a barrier: a Gitea is told `disabled`, and 15 s, two deaths'),
    search('a barrier: a Jenkins sets a node offline, a person, two deaths', 'JENKINS PERSON'),
    search('a barrier: a GitLab is told `paused`, and 60 s, two deaths', 'GITLAB'),
    longSearch('a barrier: a GitLab is told `paused`, and 60 s, a person, one death', `${broughtBack} FAULTS=1`),
  ),
  ...of(
    'standby.pml',
    search('standing by: three jobs that cross, a warm agent'),
    search('standing by: each summons is lost', 'NO_SUMMONS'),
  ),
  ...[
    search('no circles: sweeps at any moment', 'FAULTS=0'),
    search('no circles: a crash anywhere', 'SWEPT_AT_REST'),
    ...of('clusters.pml', search('no circles: two clusters', `${oneMove} OUTAGES=1`)),
  ].map((check) => ({ ...check, cycles: true }) as const),
];

const calm = 'FAULTS=0 SWEPT_AT_REST';

/**
 * The searches that must find a violation. At least one of them refutes each property, so no property holds trivially.
 */
export const brokenVariants: readonly BrokenVariant[] = [
  broken('1', 'the Pod does not wait for the nodePort', `${calm} NO_PORT_POLL`),
  broken('2', 'the token is written in two steps', `${calm} TOKEN_IN_TWO_WRITES`),
  broken('2', 'a token is for whoever has the name', 'OTHERS SWEPT_AT_REST TOKEN_FOR_A_NAME'),
  broken('3', 'a Pod that is Pending is dead', `${calm} PENDING_IS_DEAD`),
  broken('4', 'a completed job leaves no tombstone', `${calm} NO_TOMBSTONE`),
  broken('4', 'an old generation may connect', `${calm} CONNECT_WITHOUT_GENERATION`),
  broken('4', 'a relaunch replaces who has connected', `${calm} RELAUNCH_WITHOUT_CONDITION`),
  broken('5', 'clean-up comes before the mark', `${calm} REMOVE_BEFORE_MARK ONLY=5`),
  broken('5', 'a create does not look afterwards', `${calm} CREATE_WITHOUT_LOOK`),
  broken('5', 'a create looks, but not at the generation', 'SWEPT_AT_REST LOOK_WITHOUT_GENERATION'),
  broken('6', 'a webhook is answered before the start', `${calm} ANSWER_BEFORE_START`),
  broken('7', 'a delete has no uid', `${calm} OTHERS DELETE_BY_NAME`),
  broken('7', 'an object is adopted by its name', `${calm} OTHERS ADOPT_WITHOUT_LABEL`),
  broken('9', "a failed execution's clean-up ends what has connected", `${calm} CLEAN_UP_ENDS_CONNECTED`),
  ...of(
    'queue.pml',
    broken('9', 'completed ends the launch of its job', 'BIND_BY_JOB'),
    broken('9', 'a job is bound by a name', 'BIND_BY_NAME IMPOSTOR'),
    broken('9', 'an agent is ended before it is retired', 'END_BEFORE_RETIRE'),
    broken('9', 'nobody looks before an agent is retired', 'RETIRE_WITHOUT_LOOK'),
    broken('9', 'the look at a runner comes too early', 'LOOK_TOO_EARLY'),
    broken('9', "a registration's nonce is not checked", `${registeredTwice} NONCE_UNCHECKED`),
    broken('9', 'two runs share a nonce', `${runTwice} ONE_NONCE`),
    broken('9', 'a late question registers anew', `${registeredTwice} LATE_QUESTION`),
    broken('10', 'nobody takes out runners of nobody', `${registeredTwice} PERSON NO_GHOSTS`),
    broken('9', 'a registration completes although its launch is retiring', 'AGENTS=1 COMPLETE_WHILE_RETIRING'),
    broken('9', 'an orphan is taken out while it can get a job', `${orphaned} GHOSTS_WITHOUT_STOP`),
  ),
  ...of('connect.pml', broken('sent away', 'the record is read before the token', 'RECORD_FIRST')),
  ...of('connection.pml', broken('connection', 'a failed call counts from its end', 'FAILS_FROM_ITS_END')),
  ...of(
    'lists.pml',
    broken('lists', 'a short page ends a list', 'SHORT_PAGE_ENDS'),
    broken('lists', 'pages do not overlap', 'PAGES_WITHOUT_OVERLAP'),
  ),
  ...of(
    'reruns.pml',
    broken('run again', 'a lost job runs again whatever its attempt', 'WHATEVER_ATTEMPT'),
    broken('run again', 'two reconciles ask for one lost job', 'NO_CLAIM'),
  ),
  ...of(
    'barrier.pml',
    broken('9', "a delete of GitHub's does not refuse", 'GITHUB DELETE_DOES_NOT_REFUSE'),
    broken('9', 'nobody waits after a Gitea was told', 'NO_WAIT'),
    broken('9', 'a node of Jenkins is toggled', 'JENKINS TOGGLE'),
    broken('9', 'the wait is shorter than a GitLab takes', 'GITLAB WAITS=3'),
    broken('9', "the wait counts from when GitLab's pause was sent", 'GITLAB NOTE_WITH_PAUSE'),
    broken('9', 'nobody sees that a person has brought a node of Jenkins back', 'JENKINS PERSON BROUGHT_BACK_UNSEEN'),
    broken('9', 'the second pause of a GitLab is as old as the first', `${broughtBack} FAULTS=0 AGE_UNSEEN`),
    broken('10', 'nobody asks again for a retirement that died', 'GITLAB NO_REPEAT'),
  ),
  ...of('standby.pml', broken('stand by', 'an agent stands by for its own job alone', 'OWN_JOB_ALONE')),
  ...of(
    'clusters.pml',
    broken('4', 'a launch moves without a fence', `${oneMove} MOVE_WITHOUT_CONDITION`),
    broken('4', 'the agent of the cluster that was left is let in', `${oneMove} CONNECT_WITHOUT_GENERATION`),
    broken('2', 'a late Pod gets the token', `${oneMove} TOKEN_FOR_A_NAME`),
    broken('5', 'a sweep looks only in the places of the profiles', `${oneMove} DROPPED OUTAGES=1 PLACES_OF_CONFIG`),
    broken(
      '5',
      'a sweep looks in a drained cluster only while launches are under way',
      `${oneMove} DROPPED PLACES_OF_LAUNCHES`,
    ),
    broken('5', 'a sweep spares whatever is of a live launch', `${oneMove} OUTAGES=1 SWEEP_WITHOUT_GENERATION`),
  ),
  broken('every launch ends', 'nobody sweeps', 'SWEPT_AT_REST NO_SWEEP ONLY=100'),
  {
    ...broken('no run goes in circles', 'each sweep asks for a clean-up again', 'FAULTS=0 SWEEP_WITHOUT_CLAIM'),
    cycles: true,
  },
];
