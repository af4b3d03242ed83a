import { readConfig } from '../../../../core/config/read-config.ts';
import { scenarioOf } from '../../../../local/demo/scenario.ts';

const config = await readConfig('davit.yaml');

test("a working demo runs the unchanged config, for jobs of the profile's labels", () => {
  expect(scenarioOf(config, { expose: 'nodePort' })).toEqual({
    config,
    labels: ['self-hosted', 'linux', 'x64', 'k8s'],
  });
});

test('a demo of agents that dial out takes the profile with expose: none', () => {
  expect(scenarioOf(config, { expose: 'none' }).labels).toContain('dial-out');
});

test.each([
  ['image', 'ImagePullFailed'],
  ['crash', 'ContainerTerminated'],
  ['agent-never-connects', 'ConnectDeadlineExceeded'],
] as const)('a demo of %s changes only the agent, and expects the failure %s', (fail, failsWith) => {
  const scenario = scenarioOf(config, { expose: 'nodePort', fail });

  const [profile] = scenario.config.profiles;
  const [original] = config.profiles;
  expect(scenario.failsWith).toBe(failsWith);
  expect(scenario.config.profiles).toHaveLength(1);
  expect(profile).toMatchObject({ name: original?.name, labels: original?.labels, expose: 'nodePort' });
  expect(profile?.template.spec.containers).not.toEqual(original?.template.spec.containers);
});

test('a config without such a profile is an error', () => {
  const exposed = config.profiles.filter(({ expose }) => expose === 'nodePort');

  expect(() => scenarioOf({ ...config, profiles: exposed }, { expose: 'none' })).toThrow(
    'the config has no profile with expose: none',
  );
});
