const syntax = /^(\d{1,18})(?:\.(\d{1,9}))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,2})?$/;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * Reads a Kubernetes quantity, without a sign: `500m`, `2`, `8Gi`. Exact, and rounded up to Kubernetes' own precision.
 *
 * @returns billionths: of a core for cpu, of a byte for memory; undefined for a text that is no quantity
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function nanoQuantity(text: string): bigint | undefined {
  const [, whole, fraction = '', suffix = ''] = syntax.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const binary = Math.max(0, binarySuffixes.indexOf(suffix));
  const digits = BigInt(whole + fraction) * 1024n ** BigInt(binary);
  const exponent = 9 - fraction.length + exponentOf(suffix);
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (digits + divisor - 1n) / divisor;
}

function exponentOf(suffix: string): number {
  if (binarySuffixes.includes(suffix)) return 0;
  const index = decimalSuffixes.indexOf(suffix);
  return index === -1 ? Number(suffix.slice(1)) : 3 * index - 9;
}
