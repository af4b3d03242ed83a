/** The exit codes of `davit`, by their meaning. */
export const exitCodes = {
  ok: { code: 0, means: 'Success.' },
  failed: {
    code: 1,
    means:
      'The command failed: the launch or the deployment failed, doctor found a problem, or conformance or acceptance found something that does not hold.',
  },
  usage: { code: 2, means: 'The command line or davit.yaml is wrong. The message names what.' },
  unknown: { code: 3, means: 'There is no such launch, profile or stack.' },
  refused: { code: 4, means: 'The caller may not do this: a missing permission, or a wrong token.' },
  unreachable: { code: 5, means: 'davit, or a service that it needs, did not answer. Repeating is safe.' },
  timeout: { code: 6, means: 'The time to wait is over.' },
  interrupted: { code: 130, means: 'Ctrl-C.' },
} as const;

/** The reason why a command ends. */
export type ExitReason = keyof typeof exitCodes;
