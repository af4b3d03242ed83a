import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { matchProfile } from '../../../../functions/domain/match-profile.ts';
import { makeProfile } from '../../../support/make-profile.ts';

const linux = makeProfile({ name: 'linux', labels: ['self-hosted', 'Linux', 'x64'] });
const gpu = makeProfile({ name: 'gpu', labels: ['self-hosted', 'linux', 'x64', 'GPU'] });

describe('matchProfile', () => {
  test.each([
    { job: ['self-hosted'], takes: 'linux' },
    { job: ['SELF-HOSTED', 'linux', 'X64'], takes: 'linux' },
    { job: ['linux', 'linux'], takes: 'linux' },
    { job: ['gpu'], takes: 'gpu' },
    { job: ['self-hosted', 'gpu', 'x64'], takes: 'gpu' },
    { job: ['self-hosted', 'arm64'], takes: undefined },
    { job: [''], takes: undefined },
    { job: [], takes: undefined },
  ])('a job that runs on $job goes to $takes', ({ job, takes }) => {
    expect(matchProfile([linux, gpu], job)?.name).toBe(takes);
  });

  test('a profile takes a job exactly when it has every label of it, and the first such profile does', () => {
    const label = fc.constantFrom('a', 'B', 'c', 'D', 'e');
    const labels = fc.array(label, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(labels, { maxLength: 5 }), labels, (offers, job) => {
        const profiles = offers.map((offer, index) => makeProfile({ name: `p${index}`, labels: offer }));

        const taken = matchProfile(
          profiles,
          job.map((wanted) => wanted.toUpperCase()),
        );

        const able = profiles.filter((profile) => job.every((wanted) => profile.labels.includes(wanted)));
        expect(taken?.name).toBe(able[0]?.name);
      }),
    );
  });
});
