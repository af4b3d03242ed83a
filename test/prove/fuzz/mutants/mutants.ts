import { named } from '../../../support/named.ts';

/** A mutant: davit without one check of a door. Inputs for that door must reveal it. */
export interface Mutant {
  name: string;
  door: string;
  /** Relative to the repository's root. */
  file: string;
  /** The text in the file, which occurs once, and its replacement. */
  from: string;
  to: string;
}

/** At least one check of each fast door. */
export const mutants: readonly Mutant[] = named<Omit<Mutant, 'name'>>({
  'any signature is accepted': {
    door: 'webhook',
    file: 'runtime/signing/check-signature.ts',
    from: '(await verify(secret.text, text, signature)) ? secret : undefined',
    to: 'secret',
  },
  "any agent's credential opens any agent's door": {
    door: 'connect',
    file: 'functions/connect/connect.ts',
    from: "isSameSecret(identity.agentName, request.parameters['agentName'] ?? '')",
    to: "identity.agentName !== ''",
  },
  'an expired credential still counts': {
    door: 'connect',
    file: 'adapters/jose/jose-credentials.ts',
    from: 'currentDate: new Date(nowEpochMs()),',
    to: 'currentDate: new Date(0),',
  },
  'two job ids may be the same bytes': {
    door: 'launches',
    file: 'core/well-formed.ts',
    from: 'text.isWellFormed()',
    to: "text !== ''",
  },
  'a label or a variable called constructor cannot be stored': {
    door: 'launches',
    file: 'adapters/aws/dynamo-table.ts',
    from: 'convertClassInstanceToMap: true',
    to: 'convertClassInstanceToMap: false',
  },
  'the values of the environment are shown': {
    door: 'launches',
    file: 'functions/launches/launch-view.ts',
    from: 'envNames: record.env && Object.keys(record.env),',
    to: 'envNames: record.env,',
  },
  'an unresolved YAML alias is no problem': {
    door: 'config',
    file: 'core/config/read-config.ts',
    from: 'if (error instanceof ReferenceError) throw',
    to: 'if (error instanceof RangeError) throw',
  },
  'a token may contain characters that no header can': {
    door: 'kubeconfig',
    file: 'adapters/kubernetes/read-kubeconfig.ts',
    from: 'validateHeaderValue(',
    to: 'String(',
  },
  'any nodePort is valid': {
    door: 'objects',
    file: 'core/pod/read-address.ts',
    from: 'allocated !== undefined && allocated > 0 && allocated <= 65_535 ? allocated : undefined',
    to: 'allocated',
  },
  'any text is an address': {
    door: 'objects',
    file: 'core/pod/read-address.ts',
    from: 'return Host.safeParse(reported).data;',
    to: 'return reported;',
  },
  "a watch's events are not validated": {
    door: 'watch',
    file: 'adapters/kubernetes/observe-object.ts',
    from: "'seen' ? parse(change.object)",
    to: "'seen' ? (change.object as never)",
  },
  "a cluster's messages have no length limit": {
    door: 'API errors',
    file: 'core/errors/errors.ts',
    from: 'shorten(masked, maxSaidCharacters)',
    to: 'shorten(masked, 1_000_000)',
  },
  "clean-up selects by davit's label, not by the launch's": {
    door: 'clean-up',
    file: 'functions/clean-up/remove-everywhere.ts',
    from: '{ [labelKeys.launchId]: launchId }',
    to: "{ [labelKeys.managedBy]: 'davit' }",
  },
});
