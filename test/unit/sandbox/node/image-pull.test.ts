import { decideImage, pullBackOff } from '../../../../sandbox/node/image-pull.ts';

const image = { command: ['agent'] };
const table = { 'team/agent:1': image };
const none = new Set<string>();
const pulled = new Set(['docker.io/team/agent:1']);

test.each([
  ['team/agent:1', 'IfNotPresent', 'pull', none],
  ['team/agent:1', 'IfNotPresent', 'present', pulled],
  ['team/agent:1', 'Always', 'pull', pulled],
  ['team/agent:1', 'Never', 'present', none],
  ['docker.io/team/agent:1', 'IfNotPresent', 'pull', none],
  ['team/agent', 'IfNotPresent', 'pullFails', none],
] as const)('%s with policy %s: %s', (reference, imagePullPolicy, kind, present) => {
  expect(decideImage({ image: reference, imagePullPolicy }, table, present)).toMatchObject({ kind });
});

test.each([
  [
    'x:1',
    'Always',
    'ErrImagePull',
    'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/x:1": ' +
      'failed to resolve reference "docker.io/library/x:1": docker.io/library/x:1: not found',
  ],
  ['x:1', 'Never', 'ErrImageNeverPull', 'Container image "x:1" is not present with pull policy of Never'],
  [
    'X',
    'Always',
    'InvalidImageName',
    'Failed to apply default image tag "X": couldn\'t parse image name "X": invalid reference format',
  ],
] as const)("%s with policy %s is %s, in the kubelet's words", (reference, imagePullPolicy, reason, message) => {
  expect(decideImage({ image: reference, imagePullPolicy }, table, none)).toMatchObject({ error: { reason, message } });
});

test("a back-off repeats the registry's words", () => {
  expect(pullBackOff('x:1', { reason: 'ErrImagePull', message: 'not found' })).toEqual({
    reason: 'ImagePullBackOff',
    message: 'Back-off pulling image "x:1": ErrImagePull: not found',
  });
});
