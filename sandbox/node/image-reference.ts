const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const host = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
const grammar = new RegExp(
  `^(?:(?<host>${host})/)?(?<path>${component}(?:/${component})*)` +
    '(?::(?<tag>[\\w][\\w.-]{0,127}))?(?:@(?<digest>[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,}))?$',
);

/**
 * Returns an image's canonical reference, as a container runtime does: with registry, full path, and tag or digest.
 *
 * @returns undefined for a malformed reference, the kubelet's InvalidImageName
 * @see https://github.com/distribution/reference/blob/main/reference.go
 */
export function canonicalImage(reference: string): string | undefined {
  const parts = grammar.exec(reference)?.groups;
  if (parts === undefined) return undefined;
  const { host: first, path = '', tag, digest } = parts;
  const version = (tag === undefined ? '' : `:${tag}`) + (digest === undefined ? '' : `@${digest}`);
  return `${qualifiedName(first, path)}${version === '' ? ':latest' : version}`;
}

/** Adds the registry. The first component is a registry only if it looks like one: `library/x` is on Docker Hub. */
function qualifiedName(first: string | undefined, path: string): string {
  if (first === undefined) return path.includes('/') ? `docker.io/${path}` : `docker.io/library/${path}`;
  if (first === 'localhost' || /[.:A-Z]/.test(first)) {
    const isHubWithoutNamespace = first === 'docker.io' && !path.includes('/');
    return isHubWithoutNamespace ? `docker.io/library/${path}` : `${first}/${path}`;
  }
  return `docker.io/${first}/${path}`;
}
