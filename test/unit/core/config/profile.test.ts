import { Profile } from '../../../../core/config/profile.ts';

const linux = {
  name: 'linux',
  labels: ['linux'],
  clusters: ['sandbox'],
  namespace: 'agents',
  agentPort: 8811,
  template: { spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] } },
};

function issuePathsOf(profile: unknown): string[] {
  return (Profile.safeParse(profile).error?.issues ?? []).map(({ path }) => path.join('/'));
}

test('a profile whose keys are all there is valid', () => {
  expect(issuePathsOf(linux)).toEqual([]);
});

test('a missing key is reported beside a malformed one', () => {
  const { agentPort: _, ...portless } = linux;

  expect(issuePathsOf({ ...portless, labels: 'linux' }).toSorted()).toEqual(['agentPort', 'labels']);
});

test('a malformed part deep in a template is reported once', () => {
  const template = { spec: { containers: [{ name: 1, image: 'registry.example/agent:1' }] } };

  expect(issuePathsOf({ ...linux, template })).toEqual(['template/spec/containers/0/name']);
});
