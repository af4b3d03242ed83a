/** What the model is to say of every run: invariants by their number in DESIGN.md, and what goes without saying there. */
export const properties = {
  '1': 'a Pod is only ever made for a Service that has its nodePort',
  '2': 'an agent is told a whole token, of its own Pod; by its one conditional write none changes',
  '3': "a launch begins again only when its Pod's phase is over",
  '4': 'one launch lets in one agent, and none when its job was over before it began',
  '5': 'at rest there is nothing of what is over: before any sweep if nobody died, else after one',
  '6': "who was told 2xx need not come again: the launch has begun, or is over; at rest, a completed job's is over",
  '7': 'what is deleted has the uid and the label that were read',
  '9': 'an agent that has connected is ended by its job or a person: and by no execution that fails',
  'every launch ends': 'at rest each is connected, cleaned up, or was never asked for',
  'no run goes in circles': 'every run comes to rest, whoever is slow: so what holds at rest is what is led to',
} as const;
export type Property = keyof typeof properties;

/** A search through all states of the model, as `launch.pml` is with these macros defined. */
export interface ModelCheck {
  /** What is searched, for people. */
  title: string;
  defines: readonly string[];
  /** Looks for a run that goes in circles, in place of a false assertion or a standstill. */
  cycles?: true;
}

/** A way to break the protocol, which the model has to refute. */
export interface BrokenVariant extends ModelCheck {
  /** The property that does not hold any more. */
  refutes: Property;
}

/** What the model proves. The last two searches are for circles; each of the others is for all other properties. */
export const checks: readonly ModelCheck[] = [
  { title: 'one launch, a crash anywhere, sweeps at any moment', defines: [] },
  { title: 'one launch, others interfere, sweeps at any moment', defines: ['FAULTS=0', 'OTHERS'] },
  { title: 'one launch, others interfere, a crash anywhere', defines: ['OTHERS', 'SWEPT_AT_REST'] },
  { title: 'one launch, two crashes, no relaunch', defines: ['FAULTS=2', 'GENERATIONS=1', 'SWEPT_AT_REST'] },
  { title: 'two launches of one name', defines: ['JOBS=2', 'FAULTS=0', 'SWEPT_AT_REST'] },
  {
    title: 'two launches of one name, a crash anywhere, no relaunch',
    defines: ['JOBS=2', 'GENERATIONS=1', 'SWEPT_AT_REST'],
  },
  { title: 'no circles: sweeps at any moment', defines: ['FAULTS=0'], cycles: true },
  { title: 'no circles: a crash anywhere', defines: ['SWEPT_AT_REST'], cycles: true },
];

const calm = ['FAULTS=0', 'SWEPT_AT_REST'];

/** What the model refutes. Each property is refuted by one of these at least, so that none of them holds of anything. */
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
  { title: 'nobody sweeps', defines: ['SWEPT_AT_REST', 'NO_SWEEP', 'ONLY=10'], refutes: 'every launch ends' },
  {
    title: 'each sweep asks for a clean-up again',
    defines: ['FAULTS=0', 'SWEEP_WITHOUT_CLAIM'],
    cycles: true,
    refutes: 'no run goes in circles',
  },
];
