const factors: Record<string, number> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/**
 * Reads a Kubernetes quantity: cores for cpu, bytes for memory.
 *
 * @returns NaN if the text is not a quantity
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function parseQuantity(quantity: string | number): number {
  const [, digits = '', suffix = ''] = /^([0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(String(quantity)) ?? [];
  return digits === '' ? Number.NaN : Number(digits) * (factors[suffix] ?? Number.NaN);
}

/** Whether a value is a quantity. */
export function isQuantity(quantity: string | number): boolean {
  return !Number.isNaN(parseQuantity(quantity));
}
