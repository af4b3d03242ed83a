import { expect, test } from 'vitest';
import { reportObserver } from '../../../../functions/clean-up/report-observer.ts';
import { RecordingMetrics } from '../../../support/recording-metrics.ts';

function report(code: string, message: string) {
  const warned: unknown[] = [];
  const metrics = new RecordingMetrics();
  reportObserver({ metrics, log: { warn: (...line) => void warned.push(line) } }, 'github-1-2-1', { code, message });
  return { warned, points: metrics.points };
}

test("a clean-up that spared a connected agent is counted, and logged with the execution's failure", () => {
  const message = 'ObserverFailed: the agent has connected and goes on; at last: Unexpected: Rate exceeded';

  const { warned, points } = report('ObserverFailed', message);

  expect(points).toEqual([{ name: 'ObserverFailures', value: 1, dimensions: {} }]);
  expect(warned).toEqual([[message, { code: 'ObserverFailed', launchId: 'github-1-2-1' }]]);
});

test('any other clean-up is neither counted nor logged', () => {
  expect(report('ImagePullFailed', 'ImagePullFailed: not found')).toEqual({ warned: [], points: [] });
});
