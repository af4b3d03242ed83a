/** Says whether two lists have the same labels, in any order and in any case, as GitHub compares them. */
export function haveSameLabels(one: readonly string[], other: readonly string[]): boolean {
  return comparable(one) === comparable(other);
}

function comparable(labels: readonly string[]): string {
  return JSON.stringify(labels.map((label) => label.toLowerCase()).toSorted());
}
