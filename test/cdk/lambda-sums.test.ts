import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { lambdaSums } from '../../cdk/monitoring/lambda-sums.ts';

function makeFunctions(count: number) {
  const stack = new Stack(new App(), 'Stack', { env: { account: '111122223333', region: 'eu-central-1' } });
  return Array.from({ length: count }, (_, index) =>
    LambdaFunction.fromFunctionName(stack, `Function${index}`, `function-${index}`),
  );
}

test.each([
  [1, [1]],
  [10, [10]],
  [11, [10, 1]],
  [23, [10, 10, 3]],
])('%i functions are in sums of %j, each function in exactly one', (count, sizes) => {
  const sums = lambdaSums(makeFunctions(count), 'Throttles');

  const metrics = sums.map(({ usingMetrics }) => Object.values(usingMetrics ?? {}));
  expect(metrics.map(({ length }) => length)).toEqual(sizes);
  const names = metrics.flat().map((metric) => metric.toMetricConfig().metricStat?.dimensions?.[0]?.value);
  expect(new Set(names).size).toBe(count);
  expect(new Set(metrics.flat().map((metric) => metric.toMetricConfig().metricStat?.metricName))).toEqual(
    new Set(['Throttles']),
  );
});

test('a sum adds up all of its metrics, and counts missing data as zero', () => {
  const [sum] = lambdaSums(makeFunctions(3), 'Errors');

  expect(sum.expression).toBe('FILL(m0, 0) + FILL(m1, 0) + FILL(m2, 0)');
  expect(Object.keys(sum.usingMetrics ?? {})).toEqual(['m0', 'm1', 'm2']);
});
