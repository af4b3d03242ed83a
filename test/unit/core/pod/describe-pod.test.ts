import { containersOf, nodeOf, stateOf, wordsOf } from '../../../../core/pod/describe-pod.ts';
import { podView, running, saying, terminated, waiting } from '../../../support/pod-view.ts';

describe('the containers of a Pod', () => {
  test('are its init containers, then the others, each with its spec, its role and its subject', () => {
    const [fetch, proxy, agent] = [terminated('fetch', 0), running('proxy'), running('agent')];
    const pod = podView({ initContainerStatuses: [fetch, proxy], containerStatuses: [agent] });

    const subjectOf = (container: string) => ({ node: 'node-1', container, image: `registry.example/${container}:1` });
    expect(containersOf(pod)).toEqual([
      { status: fetch, spec: pod.spec.initContainers?.[0], role: 'init', subject: subjectOf('fetch') },
      { status: proxy, spec: pod.spec.initContainers?.[1], role: 'sidecar', subject: subjectOf('proxy') },
      { status: agent, spec: pod.spec.containers[0], role: 'regular', subject: subjectOf('agent') },
    ]);
  });

  test('have the image of their status where the spec does not have them, and none where neither has', () => {
    const helper = { ...running('helper'), image: 'registry.example/helper:1' };
    const initContainerStatuses = [running('agent')];

    const containers = containersOf(podView({ initContainerStatuses, containerStatuses: [helper] }));

    expect(containers).toStrictEqual([
      { status: running('agent'), spec: undefined, role: 'init', subject: { node: 'node-1', container: 'agent' } },
      {
        status: helper,
        spec: undefined,
        role: 'regular',
        subject: { node: 'node-1', container: 'helper', image: 'registry.example/helper:1' },
      },
    ]);
  });

  test('are none before the Pod has a status', () => {
    const { status: _status, ...pod } = podView();

    expect(containersOf(pod)).toEqual([]);
    expect(containersOf({ ...pod, status: {} })).toEqual([]);
  });

  test('are those of a Pod without init containers, too', () => {
    const pod = podView({ containerStatuses: [running('agent')] });
    const { initContainers: _none, ...spec } = pod.spec;

    expect(containersOf({ ...pod, spec }).map(({ role }) => role)).toEqual(['regular']);
  });
});

describe("a container's state", () => {
  const crashed = { terminated: { exitCode: 137, reason: 'OOMKilled', message: 'a secret' } };
  test.each([
    [running('agent'), 'container agent running'],
    [{ name: 'agent' }, 'container agent in no state'],
    [{ ...running('agent'), lastState: crashed }, 'container agent running, before that exit code 137: OOMKilled'],
    [
      { ...running('agent'), lastState: { terminated: { exitCode: 1 } } },
      'container agent running, before that exit code 1',
    ],
    [waiting('agent', 'ErrImagePull', 'not found'), 'container agent waiting: ErrImagePull: not found'],
    [waiting('agent', 'ErrImagePull', ''), 'container agent waiting: ErrImagePull'],
    [{ name: 'agent', state: { waiting: {} } }, 'container agent waiting'],
    [
      { ...waiting('agent', 'CrashLoopBackOff'), lastState: crashed },
      'container agent waiting: CrashLoopBackOff, before that exit code 137: OOMKilled',
    ],
    [terminated('agent', 0), 'container agent terminated with exit code 0'],
    [{ ...terminated('agent', 2, 'Error'), lastState: crashed }, 'container agent terminated with exit code 2: Error'],
  ])('%j is written as: %s', (status, text) => {
    expect(stateOf(status)).toBe(text);
  });

  test.each([
    ['StartError', ': StartError: its words'],
    ['ContainerCannotRun', ': ContainerCannotRun: its words'],
    ['ContainerStatusUnknown', ': ContainerStatusUnknown: its words'],
    ['Error', ': Error'],
    ['', ''],
  ])('with the reason "%s" has a message only if the node wrote it', (reason, words) => {
    expect(stateOf(saying('agent', 128, reason, 'its words'))).toBe(
      `container agent terminated with exit code 128${words}`,
    );
  });
});

test.each([
  { given: { reason: 'Evicted', message: 'low on memory' }, words: 'Evicted: low on memory' },
  { given: { reason: 'Evicted', message: '' }, words: 'Evicted' },
  { given: { message: 'low on memory' }, words: 'low on memory' },
  { given: { reason: '', message: undefined }, words: '' },
])('a reason and a message are written as far as they are present: $given', ({ given, words }) => {
  expect(wordsOf(given)).toBe(words);
});

test('a Pod names its node once it is bound to one', () => {
  const pod = podView();
  const { nodeName: _nodeName, ...spec } = pod.spec;

  expect(nodeOf(pod)).toEqual({ node: 'node-1' });
  expect(nodeOf({ ...pod, spec })).toStrictEqual({});
  expect(nodeOf({ ...pod, spec: { ...spec, nodeName: '' } })).toStrictEqual({});
});
