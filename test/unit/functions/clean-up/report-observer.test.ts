import { reportObserver } from '../../../../functions/clean-up/report-observer.ts';

function report(code: string, message: string) {
  const warned: unknown[] = [];
  const points: unknown[] = [];
  const metrics = { put: (...point: unknown[]) => void points.push(point) };
  reportObserver({ metrics, log: { warn: (...line) => void warned.push(line) } }, 'github-1-2-1', { code, message });
  return { warned, points };
}

test("a clean-up that spared a connected agent is counted, and logged with the execution's failure", () => {
  const message = 'ObserverFailed: the agent has connected and goes on; at last: Unexpected: Rate exceeded';

  const { warned, points } = report('ObserverFailed', message);

  expect(points).toEqual([['ObserverFailures', 1, {}, { launchId: 'github-1-2-1' }]]);
  expect(warned).toEqual([[message, { code: 'ObserverFailed', launchId: 'github-1-2-1' }]]);
});

test('any other clean-up is neither counted nor logged', () => {
  expect(report('ImagePullFailed', 'ImagePullFailed: not found')).toEqual({ warned: [], points: [] });
});
