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
  /** The property that it violates. */
  refutes: Property;
}

/** The model of a search. */
export function modelOf({ model = 'launch.pml' }: ModelCheck): Model {
  return model;
}

/** Searches of one model. */
function of<const Check extends ModelCheck>(model: Model, searches: readonly Check[]): Check[] {
  return searches.map((each) => ({ ...each, model }));
}

const runTwice = ['AGENTS=1', 'REGISTRATIONS=2', 'TWICE'];
const oneMove = ['GENERATIONS=2'];
const orphaned = ['AGENTS=1', 'PERSON', 'ORPHANS'];
const broughtBack = ['GITLAB', 'PERSON'];
const registeredTwice = ['AGENTS=1', 'REGISTRATIONS=2', 'FAULTS=1'];

/**
 * The searches that must find no violation. The last three look for circles; each of the others checks all other
 * properties of its model.
 */
export const checks: readonly ModelCheck[] = [
  { title: 'one launch, a crash anywhere, sweeps at any moment', defines: [], long: true },
  { title: 'one launch, others interfere, sweeps at any moment', defines: ['FAULTS=0', 'OTHERS'] },
  { title: 'one launch, others interfere, a crash anywhere', defines: ['OTHERS', 'SWEPT_AT_REST'], long: true },
  { title: 'one launch, two crashes, no relaunch', defines: ['FAULTS=2', 'GENERATIONS=1', 'SWEPT_AT_REST'] },
  { title: 'two launches of one name', defines: ['JOBS=2', 'FAULTS=0', 'SWEPT_AT_REST'], long: true },
  {
    title: 'two launches of one name, a crash anywhere, no relaunch',
    defines: ['JOBS=2', 'GENERATIONS=1', 'SWEPT_AT_REST'],
    long: true,
  },
  ...of('queue.pml', [
    { title: 'a queue: two agents, two jobs, a Gitea', defines: [] },
    { title: 'a queue: two agents, two jobs, a GitHub', defines: ['GITHUB'] },
    { title: "a queue: an agent's name on another's runner", defines: ['IMPOSTOR'] },
    {
      title: 'a queue: two registrations of one agent, a crash anywhere, a person',
      defines: [...registeredTwice, 'PERSON', 'IMPOSTOR'],
    },
    {
      title: 'a queue: two registrations of one agent at a GitHub, a crash anywhere',
      defines: [...registeredTwice, 'GITHUB'],
    },
    {
      title: 'a queue: each of two questions of one agent run twice, a crash anywhere, a person',
      defines: [...runTwice, 'FAULTS=1', 'PERSON'],
    },
    {
      title: 'a queue: each of two questions of one agent run twice at a GitHub, a crash anywhere',
      defines: [...runTwice, 'FAULTS=1', 'GITHUB'],
    },
    { title: 'a queue: a person, and orphans are taken out at any moment', defines: orphaned },
    {
      title: 'a queue: a person, and orphans are taken out of a GitHub at any moment',
      defines: [...orphaned, 'GITHUB'],
    },
  ]),
  ...of('clusters.pml', [
    {
      title: 'two clusters: a move, two late effects or crashes, two outages',
      defines: [...oneMove, 'FAULTS=2'],
      long: true,
    },
    { title: 'two clusters: a move and a relaunch, one late effect or crash', defines: [], long: true },
    {
      title: 'two clusters: a move, and the profiles no longer name the first',
      defines: [...oneMove, 'DROPPED'],
      long: true,
    },
  ]),
  { title: 'connect: three questions of an agent', defines: [], model: 'connect.pml' },
  { title: 'a connection: two callers, a cluster that freezes twice', defines: [], model: 'connection.pml' },
  { title: 'a list: two of six things go while it is read', defines: [], model: 'lists.pml' },
  { title: 'a list: pages as long as asked for', defines: ['MOST=4'], model: 'lists.pml' },
  { title: 'a lost job: two reconciles, and people run it again', defines: [], model: 'reruns.pml' },
  ...of('barrier.pml', [
    { title: "a barrier: a GitHub's delete, which refuses, two deaths", defines: ['GITHUB'] },
    { title: 'a barrier: a Gitea is told `disabled`, and 15 s, two deaths', defines: [] },
    { title: 'a barrier: a Jenkins sets a node offline, a person, two deaths', defines: ['JENKINS', 'PERSON'] },
    { title: 'a barrier: a GitLab is told `paused`, and 60 s, two deaths', defines: ['GITLAB'] },
    {
      title: 'a barrier: a GitLab is told `paused`, and 60 s, a person, one death',
      defines: [...broughtBack, 'FAULTS=1'],
      long: true,
    },
  ]),
  { title: 'standing by: three jobs that cross, a warm agent', defines: [], model: 'standby.pml' },
  { title: 'standing by: each summons is lost', defines: ['NO_SUMMONS'], model: 'standby.pml' },
  { title: 'no circles: sweeps at any moment', defines: ['FAULTS=0'], cycles: true },
  { title: 'no circles: a crash anywhere', defines: ['SWEPT_AT_REST'], cycles: true },
  { title: 'no circles: two clusters', defines: [...oneMove, 'OUTAGES=1'], model: 'clusters.pml', cycles: true },
];

const calm = ['FAULTS=0', 'SWEPT_AT_REST'];

/**
 * The searches that must find a violation. At least one of them refutes each property, so no property holds trivially.
 */
export const brokenVariants: readonly BrokenVariant[] = [
  { title: 'the Pod does not wait for the nodePort', defines: [...calm, 'NO_PORT_POLL'], refutes: '1' },
  { title: 'the token is written in two steps', defines: [...calm, 'TOKEN_IN_TWO_WRITES'], refutes: '2' },
  {
    title: 'a token is for whoever has the name',
    defines: ['OTHERS', 'SWEPT_AT_REST', 'TOKEN_FOR_A_NAME'],
    refutes: '2',
  },
  { title: 'a Pod that is Pending is dead', defines: [...calm, 'PENDING_IS_DEAD'], refutes: '3' },
  { title: 'a completed job leaves no tombstone', defines: [...calm, 'NO_TOMBSTONE'], refutes: '4' },
  { title: 'an old generation may connect', defines: [...calm, 'CONNECT_WITHOUT_GENERATION'], refutes: '4' },
  { title: 'a relaunch replaces who has connected', defines: [...calm, 'RELAUNCH_WITHOUT_CONDITION'], refutes: '4' },
  { title: 'clean-up comes before the mark', defines: [...calm, 'REMOVE_BEFORE_MARK', 'ONLY=5'], refutes: '5' },
  { title: 'a create does not look afterwards', defines: [...calm, 'CREATE_WITHOUT_LOOK'], refutes: '5' },
  {
    title: 'a create looks, but not at the generation',
    defines: ['SWEPT_AT_REST', 'LOOK_WITHOUT_GENERATION'],
    refutes: '5',
  },
  { title: 'a webhook is answered before the start', defines: [...calm, 'ANSWER_BEFORE_START'], refutes: '6' },
  { title: 'a delete has no uid', defines: [...calm, 'OTHERS', 'DELETE_BY_NAME'], refutes: '7' },
  { title: 'an object is adopted by its name', defines: [...calm, 'OTHERS', 'ADOPT_WITHOUT_LABEL'], refutes: '7' },
  {
    title: "a failed execution's clean-up ends what has connected",
    defines: [...calm, 'CLEAN_UP_ENDS_CONNECTED'],
    refutes: '9',
  },
  ...of('queue.pml', [
    { title: 'completed ends the launch of its job', defines: ['BIND_BY_JOB'], refutes: '9' },
    { title: 'a job is bound by a name', defines: ['BIND_BY_NAME', 'IMPOSTOR'], refutes: '9' },
    { title: 'an agent is ended before it is retired', defines: ['END_BEFORE_RETIRE'], refutes: '9' },
    { title: 'nobody looks before an agent is retired', defines: ['RETIRE_WITHOUT_LOOK'], refutes: '9' },
    { title: 'the look at a runner comes too early', defines: ['LOOK_TOO_EARLY'], refutes: '9' },
    { title: "a registration's nonce is not checked", defines: [...registeredTwice, 'NONCE_UNCHECKED'], refutes: '9' },
    { title: 'two runs share a nonce', defines: [...runTwice, 'ONE_NONCE'], refutes: '9' },
    { title: 'a late question registers anew', defines: [...registeredTwice, 'LATE_QUESTION'], refutes: '9' },
    {
      title: 'nobody takes out runners of nobody',
      defines: [...registeredTwice, 'PERSON', 'NO_GHOSTS'],
      refutes: '10',
    },
    {
      title: 'a registration completes although its launch is retiring',
      defines: ['AGENTS=1', 'COMPLETE_WHILE_RETIRING'],
      refutes: '9',
    },
    {
      title: 'an orphan is taken out while it can get a job',
      defines: [...orphaned, 'GHOSTS_WITHOUT_STOP'],
      refutes: '9',
    },
  ]),
  {
    title: 'the record is read before the token',
    defines: ['RECORD_FIRST'],
    model: 'connect.pml',
    refutes: 'sent away',
  },
  {
    title: 'a failed call counts from its end',
    defines: ['FAILS_FROM_ITS_END'],
    model: 'connection.pml',
    refutes: 'connection',
  },
  { title: 'a short page ends a list', defines: ['SHORT_PAGE_ENDS'], model: 'lists.pml', refutes: 'lists' },
  { title: 'pages do not overlap', defines: ['PAGES_WITHOUT_OVERLAP'], model: 'lists.pml', refutes: 'lists' },
  ...of('reruns.pml', [
    { title: 'a lost job runs again whatever its attempt', defines: ['WHATEVER_ATTEMPT'], refutes: 'run again' },
    { title: 'two reconciles ask for one lost job', defines: ['NO_CLAIM'], refutes: 'run again' },
  ]),
  ...of('barrier.pml', [
    { title: "a delete of GitHub's does not refuse", defines: ['GITHUB', 'DELETE_DOES_NOT_REFUSE'], refutes: '9' },
    { title: 'nobody waits after a Gitea was told', defines: ['NO_WAIT'], refutes: '9' },
    { title: 'a node of Jenkins is toggled', defines: ['JENKINS', 'TOGGLE'], refutes: '9' },
    { title: 'the wait is shorter than a GitLab takes', defines: ['GITLAB', 'WAITS=3'], refutes: '9' },
    {
      title: "the wait counts from when GitLab's pause was sent",
      defines: ['GITLAB', 'NOTE_WITH_PAUSE'],
      refutes: '9',
    },
    {
      title: 'nobody sees that a person has brought a node of Jenkins back',
      defines: ['JENKINS', 'PERSON', 'BROUGHT_BACK_UNSEEN'],
      refutes: '9',
    },
    {
      title: 'the second pause of a GitLab is as old as the first',
      defines: [...broughtBack, 'FAULTS=0', 'AGE_UNSEEN'],
      refutes: '9',
    },
    { title: 'nobody asks again for a retirement that died', defines: ['GITLAB', 'NO_REPEAT'], refutes: '10' },
  ]),
  {
    title: 'an agent stands by for its own job alone',
    defines: ['OWN_JOB_ALONE'],
    model: 'standby.pml',
    refutes: 'stand by',
  },
  ...of('clusters.pml', [
    { title: 'a launch moves without a fence', defines: [...oneMove, 'MOVE_WITHOUT_CONDITION'], refutes: '4' },
    {
      title: 'the agent of the cluster that was left is let in',
      defines: [...oneMove, 'CONNECT_WITHOUT_GENERATION'],
      refutes: '4',
    },
    { title: 'a late Pod gets the token', defines: [...oneMove, 'TOKEN_FOR_A_NAME'], refutes: '2' },
    {
      title: 'a sweep looks only in the places of the profiles',
      defines: [...oneMove, 'DROPPED', 'OUTAGES=1', 'PLACES_OF_CONFIG'],
      refutes: '5',
    },
    {
      title: 'a sweep looks in a drained cluster only while launches are under way',
      defines: [...oneMove, 'DROPPED', 'PLACES_OF_LAUNCHES'],
      refutes: '5',
    },
    {
      title: 'a sweep spares whatever is of a live launch',
      defines: [...oneMove, 'OUTAGES=1', 'SWEEP_WITHOUT_GENERATION'],
      refutes: '5',
    },
  ]),
  { title: 'nobody sweeps', defines: ['SWEPT_AT_REST', 'NO_SWEEP', 'ONLY=100'], refutes: 'every launch ends' },
  {
    title: 'each sweep asks for a clean-up again',
    defines: ['FAULTS=0', 'SWEEP_WITHOUT_CLAIM'],
    cycles: true,
    refutes: 'no run goes in circles',
  },
];
