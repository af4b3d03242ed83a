import * as fc from 'fast-check';
import {
  agentNameOf,
  ciLaunchId,
  mostAttempts,
  mostRelaunches,
  mostReplacements,
} from '../../../../core/launch/names.ts';
import { agentNameOfRunner, runnerNameOf, runnerPrefixOf } from '../../../../core/launch/runner-names.ts';

const installation = '0a1b2c3d';
const anyAgentName = fc
  .tuple(fc.stringMatching(/^[a-z]([-a-z0-9]{0,40}[a-z0-9])?$/), fc.integer({ min: 1, max: 9 }))
  .map(([launchId, generation]) => agentNameOf(launchId, generation));

test("a runner's name contains its installation and its agent", () => {
  expect(runnerNameOf(installation, 'davit-gitea-12-345-1-x2-r3')).toBe('davit-0a1b2c3d-gitea-12-345-1-x2-r3');
  expect(agentNameOfRunner(installation, 'davit-0a1b2c3d-gitea-12-345-1-x2-r3')).toBe('davit-gitea-12-345-1-x2-r3');
});

test("a runner's name identifies its agent, in its own installation only", () => {
  fc.assert(
    fc.property(anyAgentName, (agentName) => {
      const name = runnerNameOf(installation, agentName);

      expect(name.startsWith(runnerPrefixOf(installation))).toBe(true);
      expect(agentNameOfRunner(installation, name)).toBe(agentName);
      expect(agentNameOfRunner('3d2c1b0a', name)).toBeUndefined();
    }),
  );
});

test.each([
  ['of another program', 'build-07'],
  ['of davit without an installation', 'davit-gitea-12-345-1'],
  ['of another installation', 'davit-ffffffff-gitea-12-345-1'],
  ['without an agent after the installation', 'davit-0a1b2c3d-'],
  ['with an invalid agent', 'davit-0a1b2c3d-Linux_7'],
])('a runner %s belongs to no agent of this installation', (_what, name) => {
  expect(agentNameOfRunner(installation, name)).toBeUndefined();
});

test.each([9, mostReplacements])(
  'a name has 64 characters for two ids of 12 digits and replacement %i, when all else is at its longest',
  (replacement) => {
    const id = 999_999_999_999;
    const job = { ciSystem: 'twelve-chars', repositoryId: id, jobId: id, attempt: mostAttempts };
    const launchId = ciLaunchId(job, replacement);

    expect(runnerNameOf(installation, agentNameOf(launchId, 1 + mostRelaunches))).toHaveLength(64);
  },
);
