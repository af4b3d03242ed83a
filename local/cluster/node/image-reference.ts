/**
 * An image reference with the defaults that a container runtime fills in.
 *
 * @see https://github.com/distribution/reference/blob/main/reference.go
 */
export interface ImageReference {
  /** As containerd names it: registry, path, and tag or digest. */
  canonical: string;
  /** As the Pod names it, with `:latest` if it names neither tag nor digest. */
  familiar: string;
}

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const host = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
const grammar = new RegExp(
  `^(?<name>(?:(?<host>${host})/)?(?<path>${component}(?:/${component})*))` +
    '(?::(?<tag>[\\w][\\w.-]{0,127}))?(?:@(?<digest>[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,}))?$',
);

/**
 * Parses an image reference.
 *
 * @returns undefined when the reference is not one: the kubelet's InvalidImageName.
 */
export function parseImageReference(reference: string): ImageReference | undefined {
  const parts = grammar.exec(reference)?.groups;
  if (parts?.['name'] === undefined) {
    return undefined;
  }
  const { name, host: first, path = '', tag, digest } = parts;
  const suffix = (tag === undefined ? '' : `:${tag}`) + (digest === undefined ? '' : `@${digest}`);
  const version = suffix === '' ? ':latest' : suffix;
  return { familiar: `${name}${version}`, canonical: `${qualifiedName(first, path)}${version}` };
}

/** A first component is a registry only if it looks like one: `library/x` is a path on Docker Hub. */
function qualifiedName(first: string | undefined, path: string): string {
  if (first === undefined) {
    return path.includes('/') ? `docker.io/${path}` : `docker.io/library/${path}`;
  }
  if (first === 'localhost' || /[.:A-Z]/.test(first)) {
    const isHubWithoutNamespace = first === 'docker.io' && !path.includes('/');
    return isHubWithoutNamespace ? `docker.io/library/${path}` : `${first}/${path}`;
  }
  return `docker.io/${first}/${path}`;
}
