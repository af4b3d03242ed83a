import { ignored } from '../../../../functions/webhook/ignored.ts';

test('an ignored job is answered with the reason, and counted by why no profile takes it', () => {
  const answer = ignored('no profile has the label gpu', 'NoProfile');

  expect(answer).toMatchObject({ statusCode: 200, subject: { refusal: 'NoProfile' } });
  expect(JSON.parse(answer.body)).toEqual({ ignored: true, reason: 'no profile has the label gpu' });
});

test('an event that davit needs nothing for is not counted as refused', () => {
  expect(ignored('davit does nothing for ping events')).not.toHaveProperty('subject');
});
