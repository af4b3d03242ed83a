/**
 * Writes a value so that a container's environment gets it byte for byte. A kubelet expands `$(NAME)` and `$$` in values,
 * and turns each `$$` into `$`: every `$` is doubled, since older kubelets also break characters behind a single one.
 *
 * @see https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
 */
export function literalValue(value: string): string {
  return value.replaceAll('$', '$$$$');
}
