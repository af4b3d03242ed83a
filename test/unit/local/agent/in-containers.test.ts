import { readConfig } from '../../../../core/config/read-config.ts';
import { inContainers } from '../../../../local/agent/in-containers.ts';

const config = await readConfig('davit.yaml');

test("agents in containers get their Pod's address and the CI server's, besides their usual environment", () => {
  const { profiles } = inContainers(config, 'http://10.250.1.1:8080');

  expect(profiles.map(({ template }) => template.spec.containers.map(({ env }) => env))).toEqual(
    config.profiles.map(() => [
      [
        { name: 'AGENT_PORT', value: '8811' },
        { name: 'CI_SERVER_URL', value: 'http://10.250.1.1:8080' },
        { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ],
    ]),
  );
});

test('their image is pulled only where the node does not have it, unless the template says otherwise', () => {
  const [first, ...others] = config.profiles;
  const [container] = first?.template.spec.containers ?? [];
  if (first === undefined || container === undefined) throw new Error('the config has no agent');
  const spec = {
    containers: [
      { ...container, imagePullPolicy: 'Never' },
      { ...container, name: 'helper' },
    ],
  };
  const changed = { ...config, profiles: [{ ...first, template: { spec } }, ...others] };

  const [agent, helper] = inContainers(changed, 'http://ci').profiles[0]?.template.spec.containers ?? [];
  const [plain] = inContainers(config, 'http://ci').profiles[0]?.template.spec.containers ?? [];

  expect(agent).toMatchObject({ imagePullPolicy: 'Never' });
  expect(plain).toMatchObject({ imagePullPolicy: 'IfNotPresent' });
  expect(helper).toEqual({ ...container, name: 'helper' });
});
