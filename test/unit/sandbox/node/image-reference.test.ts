import * as fc from 'fast-check';
import { canonicalImage } from '../../../../sandbox/node/image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  ['nginx:1.27', 'docker.io/library/nginx:1.27'],
  ['docker.io/nginx', 'docker.io/library/nginx:latest'],
  ['team/agent', 'docker.io/team/agent:latest'],
  ['team/sub/agent:2', 'docker.io/team/sub/agent:2'],
  ['ghcr.io/team/agent:2', 'ghcr.io/team/agent:2'],
  ['localhost/agent', 'localhost/agent:latest'],
  ['registry:5000/agent', 'registry:5000/agent:latest'],
  ['[::1]:5000/agent:1', '[::1]:5000/agent:1'],
  [`agent@${digest}`, `docker.io/library/agent@${digest}`],
  [`agent:1@${digest}`, `docker.io/library/agent:1@${digest}`],
])('%s is the image %s', (reference, canonical) => {
  expect(canonicalImage(reference)).toBe(canonical);
});

test.each(['', 'Nginx', 'a b', 'agent:', ':1', 'agent@sha256:short', '/agent', 'agent/', 'a//b', 'agent:1:2', '-a'])(
  '%p is not an image reference',
  (reference) => {
    expect(canonicalImage(reference)).toBeUndefined();
  },
);

test('a canonical reference is its own canonical reference', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const references = fc
    .tuple(
      fc.option(fc.constantFrom('ghcr.io', 'localhost', 'r:5000')),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      word,
    )
    .map(([registry, path, tag]) => `${registry === null ? '' : `${registry}/`}${path.join('/')}:${tag}`);

  fc.assert(
    fc.property(references, (reference) => {
      const canonical = canonicalImage(reference) ?? '';

      expect(canonicalImage(canonical)).toBe(canonical);
    }),
  );
});
