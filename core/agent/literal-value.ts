/**
 * Writes a value so that a container's environment gets it byte for byte. A kubelet expands `$(NAME)` in values, and
 * turns each `$$` into `$`. So this doubles every `$`, also because older kubelets break characters behind a single one.
 *
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */
export function literalValue(value: string): string {
  return value.replaceAll('$', '$$$$');
}
