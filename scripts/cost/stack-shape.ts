import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { rootFolder } from '../../cdk/bundling.ts';
import { DavitStack, type DavitStackProps } from '../../cdk/davit-stack.ts';
import { unbundledApp } from '../../cdk/unbundled-app.ts';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { ciCredentialSecrets } from '../../core/ci/ci-systems.ts';
import { parseConfig } from '../../core/config/read-config.ts';

/** The billed properties of a stack, from its template. */
export interface StackShape {
  functions: Readonly<Record<string, { memoryMiB: number; isTraced: boolean }>>;
  /** The launches table's indexes that have whole records. The other one has only the keys of agents that stand by. */
  indexes: number;
  /** The metrics of alarms: AWS charges for each, in every alarm that has it. */
  alarmMetrics: number;
  dashboards: number;
  /** In Secrets Manager: the stack's own, and those that davit.yaml names. */
  secrets: number;
  /** How many of those are clusters' kubeconfigs. */
  kubeconfigs: number;
  /** How many of those are davit's credentials for CI systems. */
  ciCredentials: number;
  customerKeys: number;
  sweepsPerHour: number;
  probesPerHour: number;
  /** 0 in a davit that acts in no CI system. */
  reconcilesPerHour: number;
  clusters: number;
  logRetentionDays: number;
  /** Requests a second that the API's stage lets through. */
  throttle: number;
}

/** The price list has a price for these only: a template with any other value is refused. */
const LambdaFunction = z.object({
  Description: z.string().startsWith('davit '),
  Architectures: z.tuple([z.literal('arm64')]),
  MemorySize: z.int(),
  TracingConfig: z.object({ Mode: z.string() }).optional(),
  LoggingConfig: z.object({ SystemLogLevel: z.literal('WARN') }),
});
const Table = z.object({
  BillingMode: z.literal('PAY_PER_REQUEST'),
  PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: z.literal(true) }),
  KeySchema: z.array(z.object({ AttributeName: z.string() })),
  GlobalSecondaryIndexes: z
    .array(z.object({ Projection: z.object({ ProjectionType: z.enum(['ALL', 'KEYS_ONLY']) }) }))
    .default([]),
});
const StateMachine = z.object({ StateMachineType: z.literal('STANDARD') });
const Api = z.object({ ProtocolType: z.literal('HTTP') });
const Stage = z.object({ DefaultRouteSettings: z.object({ ThrottlingRateLimit: z.number() }) });
const LogGroup = z.object({ RetentionInDays: z.int() });
const Schedule = z.object({
  Description: z.string(),
  ScheduleExpression: z.string().regex(/^rate\(\d+ minutes?\)$/),
});
const Alarm = z.object({
  Period: z.int().min(60).optional(),
  Metrics: z.array(z.object({ MetricStat: z.object({ Period: z.int().min(60) }).optional() })).optional(),
});
const Resources = z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown().optional() }));

/** Reads the shape of the stack that this repository's davit.yaml makes, when davit acts in its CI system, too. */
export function shapeOfDavit(props: Partial<DavitStackProps> = {}): StackShape {
  const file = parseConfig(readFileSync(join(rootFolder, 'davit.yaml'), 'utf8'), 'davit.yaml');
  const ciSystems = file.ciSystems.map((system) => CiSystemConfig.parse({ ...system, tokenSecret: 'davit-token' }));
  const config = { ...file, ciSystems };
  const template = Template.fromStack(new DavitStack(unbundledApp(), 'Davit', { config, ...props }));
  const kubeconfigs = config.clusters.filter((cluster) => 'kubeconfigSecret' in cluster).length;
  return shapeOf(template.toJSON(), {
    kubeconfigs,
    webhookSecrets: config.ciSystems.filter(({ webhookSecret }) => webhookSecret !== undefined).length,
    ciCredentials: config.ciSystems.flatMap(ciCredentialSecrets).length,
    clusters: config.clusters.length,
  });
}

/**
 * Reads the shape of a synthesised stack.
 *
 * @throws ZodError for a resource without a price in the price list
 */
export function shapeOf(
  template: unknown,
  brought: { kubeconfigs: number; webhookSecrets: number; ciCredentials: number; clusters: number },
): StackShape {
  const { Resources: resources } = z.object({ Resources }).parse(template);
  const all = <Schema extends z.ZodType>(type: string, schema: Schema) =>
    Object.values(resources)
      .filter(({ Type }) => Type === type)
      .map(({ Properties }) => schema.parse(Properties ?? {}));
  const one = <Schema extends z.ZodType>(type: string, schema: Schema) => z.tuple([schema]).parse(all(type, schema))[0];
  const schedules = all('AWS::Scheduler::Schedule', Schedule);
  const timesPerHour = (described: string) =>
    schedules
      .filter(({ Description }) => Description.includes(described))
      .reduce((sum, { ScheduleExpression }) => sum + 60 / minutesOf(ScheduleExpression), 0);
  one('AWS::StepFunctions::StateMachine', StateMachine);
  one('AWS::ApiGatewayV2::Api', Api);
  return {
    functions: Object.fromEntries(
      all('AWS::Lambda::Function', LambdaFunction).map(({ Description, MemorySize, TracingConfig }) => [
        Description.replace('davit ', ''),
        { memoryMiB: MemorySize, isTraced: TracingConfig?.Mode === 'Active' },
      ]),
    ),
    indexes: all('AWS::DynamoDB::Table', Table)
      .filter(({ KeySchema }) => KeySchema.some(({ AttributeName }) => AttributeName === 'launchId'))
      .flatMap((table) => table.GlobalSecondaryIndexes)
      .filter(({ Projection }) => Projection.ProjectionType === 'ALL').length,
    alarmMetrics: all('AWS::CloudWatch::Alarm', Alarm)
      .map(({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1)
      .reduce((sum, metrics) => sum + metrics, 0),
    dashboards: all('AWS::CloudWatch::Dashboard', z.unknown()).length,
    secrets:
      all('AWS::SecretsManager::Secret', z.unknown()).length +
      brought.kubeconfigs +
      brought.webhookSecrets +
      brought.ciCredentials,
    kubeconfigs: brought.kubeconfigs,
    ciCredentials: brought.ciCredentials,
    customerKeys: all('AWS::KMS::Key', z.unknown()).length,
    sweepsPerHour: timesPerHour('left behind'),
    probesPerHour: timesPerHour('clusters are connected'),
    reconcilesPerHour: timesPerHour("CI systems' lists"),
    clusters: brought.clusters,
    logRetentionDays: Math.max(...all('AWS::Logs::LogGroup', LogGroup).map(({ RetentionInDays }) => RetentionInDays)),
    throttle: one('AWS::ApiGatewayV2::Stage', Stage).DefaultRouteSettings.ThrottlingRateLimit,
  };
}

function minutesOf(rate: string): number {
  return Number(/\d+/.exec(rate)?.[0]);
}
