/** A davit with one check of a door's taken out of its source: inputs for that door have to bring it to light. */
export interface Mutant {
  name: string;
  /** The door's name. */
  door: string;
  /** From the repository's root. */
  file: string;
  /** What stands in the file, once, and what is put in its place. */
  from: string;
  to: string;
}

/** At least one check of each door that is quick. */
export const mutants: readonly Mutant[] = [
  {
    name: 'any signature will do',
    door: 'webhook',
    file: 'functions/webhook/check-signature.ts',
    from: '(await verify(secret.text, text, signature)) ? secret : undefined',
    to: 'secret',
  },
  {
    name: "any agent's credential opens any agent's door",
    door: 'connect',
    file: 'functions/connect/connect.ts',
    from: "isSameText(identity.agentName, request.parameters['agentName'] ?? '')",
    to: "identity.agentName !== ''",
  },
  {
    name: 'a credential that has expired still counts',
    door: 'connect',
    file: 'functions/adapters/jose/jose-credentials.ts',
    from: 'currentDate: new Date(nowEpochMs()),',
    to: 'currentDate: new Date(0),',
  },
  {
    name: 'two job ids may be the same bytes',
    door: 'launches',
    file: 'functions/domain/well-formed.ts',
    from: 'text.isWellFormed()',
    to: "text !== ''",
  },
  {
    name: 'the values of the environment are shown',
    door: 'launches',
    file: 'functions/launches/launch-view.ts',
    from: 'envNames: record.env && Object.keys(record.env),',
    to: 'envNames: record.env,',
  },
  {
    name: "an alias that leads nowhere is nobody's problem",
    door: 'config',
    file: 'config/read-config.ts',
    from: 'if (error instanceof ReferenceError) throw',
    to: 'if (error instanceof RangeError) throw',
  },
  {
    name: 'a token may hold what no header can',
    door: 'kubeconfig',
    file: 'functions/adapters/kubernetes/read-kubeconfig.ts',
    from: 'validateHeaderValue(',
    to: 'String(',
  },
  {
    name: 'any nodePort is one',
    door: 'objects',
    file: 'functions/domain/read-address.ts',
    from: 'allocated !== undefined && allocated > 0 && allocated <= 65_535 ? allocated : undefined',
    to: 'allocated',
  },
  {
    name: 'any text is an address',
    door: 'objects',
    file: 'functions/domain/read-address.ts',
    from: 'return Host.safeParse(reported).data;',
    to: 'return reported;',
  },
  {
    name: 'what a watch brings is taken as it comes',
    door: 'watch',
    file: 'functions/adapters/kubernetes/observe-object.ts',
    from: 'view: parse(object) }',
    to: 'view: object as never }',
  },
  {
    name: "a cluster's words are told at whatever length",
    door: 'API errors',
    file: 'functions/domain/errors.ts',
    from: 'shorten(masked, maxSaidCharacters)',
    to: 'shorten(masked, 1_000_000)',
  },
  {
    name: "a clean-up goes by davit's label, and not by the launch's",
    door: 'clean-up',
    file: 'functions/clean-up/clean-up.ts',
    from: '{ [labelKeys.launchId]: launchId }',
    to: "{ [labelKeys.managedBy]: 'davit' }",
  },
];
