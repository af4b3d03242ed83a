import { storedPart } from '../../../../core/ci/poll-cursor.ts';

const waiting = Array.from({ length: 2000 }, (_, index) => ({ jobKey: `jenkins/1/${index}/1` }));
const running = { jobKey: 'jenkins/1/running/1', runner: { id: 7, name: 'davit-0a1b2c3d-jenkins-1' } };

test('a cursor that a store takes is stored whole', () => {
  expect(storedPart({ open: [...waiting.slice(0, 5), running] }).open).toHaveLength(6);
});

test('a larger one keeps the jobs that run, and drops some that wait: those are seen again', () => {
  const { open } = storedPart({ open: [...waiting, running] });

  expect(open).toHaveLength(2000);
  expect(open).toContainEqual(running);
});
