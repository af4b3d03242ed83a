import { RegistrationOutcome } from '../../../../core/launch/registration-outcome.ts';

test.each<RegistrationOutcome>([
  { outcome: 'registered', environment: { TOKEN: 'secret' } },
  { outcome: 'superseded' },
  { outcome: 'over' },
  { outcome: 'unavailable', code: 'CiUnavailable', detail: 'why' },
])('a reader of the outcome $outcome gets all that was written', (outcome) => {
  expect(RegistrationOutcome.parse(outcome)).toEqual(outcome);
});

test('there is no other outcome', () => {
  expect(RegistrationOutcome.safeParse({ outcome: '' }).success).toBe(false);
});
