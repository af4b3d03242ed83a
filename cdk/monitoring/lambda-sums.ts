import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

/** The summed metrics of functions. */
export type LambdaMetric = 'Errors' | 'Throttles';

/** At least one sum. */
export type LambdaSums = readonly [MathExpression, ...MathExpression[]];

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-actions.html */
const mostMetricsOfAlarm = 10;

/**
 * Sums a metric over functions, in five minutes. CloudWatch alarms on ten metrics at most, so each sum is of ten functions
 * at most.
 */
export function lambdaSums(functions: readonly IFunction[], metric: LambdaMetric): LambdaSums {
  const first = sumOf(functions.slice(0, mostMetricsOfAlarm), metric);
  const others = functions.slice(mostMetricsOfAlarm);
  return others.length === 0 ? [first] : [first, ...lambdaSums(others, metric)];
}

function sumOf(functions: readonly IFunction[], metric: LambdaMetric): MathExpression {
  const metrics = functions.map((lambda, index) => {
    return [`m${index}`, metric === 'Errors' ? lambda.metricErrors() : lambda.metricThrottles()] as const;
  });
  return new MathExpression({
    label: metric,
    expression: metrics.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics),
    period: Duration.minutes(5),
  });
}
