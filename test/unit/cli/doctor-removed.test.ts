import { checkRemoved, type KnownCluster } from '../../../cli/doctor/check-removed.ts';

const config = { clusters: [{ name: 'eu-1' }] };

function knownCluster(overrides: Partial<KnownCluster>): KnownCluster {
  return {
    name: 'old',
    connected: true,
    namespaces: [],
    launches: { launching: 0, connected: 0, cleaning: 0 },
    ...overrides,
  };
}

test('a cluster that davit.yaml has, or that no launch uses, is no finding', () => {
  const launches = { launching: 1, connected: 1, cleaning: 1 };

  expect(checkRemoved(config, [knownCluster({ name: 'eu-1', launches }), knownCluster({})])).toEqual([]);
});

test('dropping a cluster that launches use is a problem', () => {
  const launches = { launching: 1, connected: 2, cleaning: 0 };

  expect(checkRemoved(config, [knownCluster({ launches })])).toMatchObject([
    { verdict: 'problem', about: 'cluster old', what: expect.stringContaining('3 launches use it: 1 launching, 2') },
  ]);
});

test('objects that may be left in a dropped cluster are a warning with the command that removes them', () => {
  const removed = { left: 2, commands: ['kubectl delete one', 'kubectl delete two'] };

  expect(checkRemoved(config, [knownCluster({ removed })])).toMatchObject([
    { verdict: 'warning', fix: expect.stringMatching(/kubectl delete one; kubectl delete two$/) },
  ]);
});
