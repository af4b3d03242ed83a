import { costOfBusyMonth, sampled } from '../../../scripts/cost/busy-month.ts';
import { costParts, goalUsd } from '../../../scripts/cost/cost-docs.ts';
import {
  costOfIdleMonth,
  costOfProbingHour,
  costOfServices,
  costOfThousand,
  costOfThousandWatches,
  type Line,
  totalUsd,
} from '../../../scripts/cost/cost-model.ts';
import { type Counts, type LaunchCounts, readCounts } from '../../../scripts/cost/counts.ts';
import { limitsOf, reachedAt } from '../../../scripts/cost/limit-docs.ts';
import { type StackShape, shapeOf, shapeOfDavit } from '../../../scripts/cost/stack-shape.ts';
import { allWaits, costOfWaiting, minuteOf, spans, type Wait } from '../../../scripts/cost/waiting.ts';
import { Item, indexUnits, itemBytes, tableUnits } from './write-units.ts';

const shape = shapeOfDavit();

test('1,000 launches whose agents take 30 s cost no more than 0.30 dollars', () => {
  expect(readCounts().agentSeconds).toBe(30);
  expect(totalUsd(costOfThousand(readCounts().launch, shape))).toBeLessThanOrEqual(goalUsd);
});

test('1,000 launches whose agents davit registers cost no more than 0.30 dollars, without Services', () => {
  expect(totalUsd(costOfThousand(readCounts().registered, shape))).toBeLessThanOrEqual(goalUsd);
});

test('an idle month costs no more than 12.19 dollars, with everything that a davit with a CI system runs', () => {
  const idle = costOfIdleMonth(readCounts(), shape);
  const words = idle.map(({ what }) => what).join('\n');

  expect(totalUsd(idle)).toBeLessThanOrEqual(12.19);
  for (const what of ['Sweeps', 'Probes', 'Reconciles']) {
    expect(words.split(`${what}: Lambda invocations`)).toHaveLength(2);
  }
  // The credential key, a kubeconfig, a webhook's secret, and the credential for the CI system.
  expect(idle.find(({ price }) => price === 'secret')?.quantity).toBe(4);
});

test("the counted functions are the stack's, and are priced with the stack's memory", () => {
  const { memoryMiB } = shape.functions['publish-token'] ?? {};

  expect(Object.keys(shape.functions)).toEqual(expect.arrayContaining(Object.keys(readCounts().launch.invocations)));
  expect(shape.functions).toMatchObject({ sweep: { memoryMiB: 512 } });
  expect(costParts(readCounts(), shape).join('\n')).toMatch(new RegExp(`\`publish-token\` .* ${memoryMiB} MiB`));
});

test('a stack without alarms, dashboard and traces does not pay for them', () => {
  const bare = shapeOfDavit({ alarms: false, dashboard: false, tracing: false });
  const words = costOfIdleMonth(readCounts(), bare).map(({ what }) => what);

  expect(bare).toMatchObject({ alarmMetrics: 0, dashboards: 0 });
  expect(words.filter((what) => /alarm|dashboard|X-Ray/.test(what))).toEqual([]);
});

describe('a bill', () => {
  const untraced = { memoryMiB: 256, isTraced: false };
  const small: StackShape = {
    functions: {
      webhook: { memoryMiB: 256, isTraced: true },
      sweep: { memoryMiB: 512, isTraced: false },
      probe: { memoryMiB: 128, isTraced: true },
      'publish-events': { memoryMiB: 128, isTraced: false },
      reconcile: { memoryMiB: 512, isTraced: true },
      'create-service': untraced,
      'poll-node-port': untraced,
      connect: { memoryMiB: 256, isTraced: true },
    },
    indexes: 1,
    alarmMetrics: 20,
    dashboards: 1,
    secrets: 3,
    kubeconfigs: 1,
    ciCredentials: 1,
    customerKeys: 1,
    sweepsPerHour: 60,
    probesPerHour: 60,
    reconcilesPerHour: 60,
    clusters: 2,
    logRetentionDays: 60,
    throttle: 1000,
  };
  const launch: LaunchCounts = {
    recordBytes: 1500,
    transitions: 8,
    failures: 1,
    invocations: { webhook: 2 },
    seconds: { webhook: 0.5 },
    calls: {
      'dynamodb:BatchGetItem davit-jobs': 3,
      'dynamodb:Query davit-jobs/waiting': 1,
      'dynamodb:UpdateItem davit-launches': 4,
      'dynamodb:PutItem davit-tokens': 1,
      'dynamodb:GetItem davit-launches': 40,
      'dynamodb:GetItem davit-tokens': 10,
      'events:PutEvents': 5,
      'secretsmanager:GetSecretValue': 2,
    },
    writeUnits: { 'davit-launches': 8, 'davit-launches/byStatus': 14, 'davit-tokens': 1 },
    logBytes: 8100,
  };
  const counted: Counts = {
    launches: 2,
    agentSeconds: 30,
    everySeconds: 3.6,
    launch: { ...launch, invocations: { webhook: 2, 'create-service': 1, 'poll-node-port': 1 } },
    registered: launch,
    sweep: { seconds: 0.15, calls: { 'dynamodb:Query davit-launches/byStatus': 3 }, logBytes: 1200 },
    metrics: { idle: 6, inUse: 23 },
  };
  const usd = (lines: readonly Line[], what: RegExp) => totalUsd(lines.filter((line) => what.test(line.what)));

  test.each<[what: RegExp, dollars: number, because: string]>([
    [/^Step Functions/, 0.2, '8,000 × $25 / 1,000,000'],
    [/^Lambda: all other/, 0.002_666_68, '1,000 × 2 × (0.3 s + 0.1 s) × 0.25 GB × $13.3334 / 1,000,000'],
    [/^Lambda: invocations/, 0.0004, '2,000 × $0.20 / 1,000,000'],
    [/^HTTP API/, 0.002, '2,000 × $1 / 1,000,000'],
    [/^DynamoDB: writes/, 0.014_375, '1,000 × (8 + 14 + 1) × $0.625 / 1,000,000'],
    [/^DynamoDB: reads/, 0.006_75, '54,000 × $0.125 / 1,000,000'],
    [/^DynamoDB: records/, 0.000_256_667, '(1,500 + 200 + 500 B) × 14 / 30 × $0.25 / GB'],
    [/^EventBridge/, 0.005, '5,000 × $1 / 1,000,000'],
    [/^X-Ray/, 0.01, '2,000 × $5 / 1,000,000'],
    [/^CloudWatch Logs: taken in/, 0.004_675, '1,000 × (8,100 + 650 + 2 × 300 B) × $0.50 / GB'],
    [/^CloudWatch Logs: kept/, 0.000_561, '0.00935 GB × 2 months × $0.03'],
    [/^Secrets Manager/, 0.01, '2,000 × $0.05 / 10,000'],
  ])('of 1,000 launches: %s is $%d, %s', (what, dollars) => {
    const stack = { ...small, functions: { ...small.functions, connect: untraced, 'publish-events': untraced } };

    expect(usd(costOfThousand(launch, stack), what)).toBeCloseTo(dollars, 9);
  });

  test.each<[what: RegExp, dollars: number, because: string]>([
    [/alarms/, 2, '20 × $0.10'],
    [/dashboard/, 3, '1 × $3'],
    [/metrics/, 1.8 + 2, '6 × $0.30, and the alarms'],
    [/secrets of davit.yaml/, 1.2, '3 × $0.40'],
    [/reads of kubeconfigs/, 0.0438, '730 h × 12 × $0.05 / 10,000'],
    [/Sweeps: Lambda$/, 0.087_6, '43,800 × (0.2 s + 0.1 s) × 0.5 GB × $13.3334 / 1,000,000'],
    [/Probes: Lambda$/, 0.6351, '43,800 × (8.2 s + 0.1 s + 2 × (0.1 s + 0.1 s)) × 0.125 GB × $13.3334 / 1,000,000'],
    [/Probes: DynamoDB writes/, 0.1095, '43,800 × 2 × 2 × $0.625 / 1,000,000'],
    [/Probes: X-Ray/, 0.219, '43,800 × $5 / 1,000,000'],
    [/Reconciles: EventBridge/, 0.0438, '43,800 × $1 / 1,000,000'],
    [/Reconciles: Lambda$/, 0.2336, '43,800 × (0.7 s + 0.1 s) × 0.5 GB × $13.3334 / 1,000,000'],
    [/Reconciles: X-Ray/, 0.219, '43,800 × $5 / 1,000,000'],
    [/Reconciles: reads/, 0.0438, '730 h × 12 × $0.05 / 10,000'],
    [/KMS/, 1, '1 × $1'],
  ])('of an idle month: %s is $%d, %s', (what, dollars) => {
    expect(usd(costOfIdleMonth(counted, small), what)).toBeCloseTo(dollars, 4);
  });

  test.each<[what: RegExp, dollars: number, because: string]>([
    [/^Step Functions/, 0.05, '1,000 × 2 × $25 / 1,000,000'],
    [/their functions/, 0.000_666_67, '1,000 × 2 × (0 s + 0.1 s) × 0.25 GB × $13.3334 / 1,000,000'],
    [/invocations/, 0.0004, '2,000 × $0.20 / 1,000,000'],
    [/^CloudWatch Logs/, 0.002_025, '1,000 × 2 × 8,100 / 4 B × $0.50 / GB'],
  ])('of 1,000 Services: %s is $%d, %s', (what, dollars) => {
    expect(usd(costOfServices(counted, small), what)).toBeCloseTo(dollars, 6);
  });

  test.each<[what: RegExp, launches: number, dollars: number, because: string]>([
    [/^Lambda: one function/, 1, 0.006, '3,600 s × 0.125 GB × $13.3334 / 1,000,000'],
    [/^Lambda: one function/, 100, 0.006, 'the same'],
    [/states/, 1, 0.000_45, '1,800 × 2 clusters × $0.125 / 1,000,000'],
    [/list/, 100, 0.004_725, '720 × (5 + 100) / 2 × $0.125 / 1,000,000'],
  ])('of an hour of probing: %s with %i launches is $%d, %s', (what, launches, dollars) => {
    expect(usd(costOfProbingHour(counted, small, launches), what)).toBeCloseTo(dollars, 6);
  });

  test('1,000 launches after quiet times pay for 29 s of the probe each', () => {
    expect(costOfThousandWatches(small).quantity).toBe(3625);
  });

  test.each<[what: RegExp, expose: 'nodePort' | 'none', dollars: number, because: string]>([
    [/^Step Functions/, 'none', 608.33, '100,000 × 730 / 24 × 8 × $25 / 1,000,000'],
    [/^Step Functions/, 'nodePort', 760.42, '100,000 × 730 / 24 × (8 + 2) × $25 / 1,000,000'],
    [/^DynamoDB: reads/, 'none', 24.72, '(3,041,667 × 54 + 87,600 × (36 + 729.17) / 2) × $0.125 / 1,000,000'],
    [/^EventBridge/, 'none', 15.208, '3,041,667 × 5 × $1 / 1,000,000'],
    [/^X-Ray/, 'none', 14, '2,628,000 s × (1 + 5 % of 1.31) × $5 / 1,000,000, as webhook alone is counted'],
    [/^Secrets Manager/, 'none', 0.1752, '2,628,000 s × 4 environments / 300 s × $0.05 / 10,000'],
  ])('of 100,000 launches a day: %s with %s is $%d, %s', (what, expose, dollars) => {
    expect(usd(costOfBusyMonth(counted, small, expose), what)).toBeCloseTo(dollars, 2);
  });

  const everyQuarter: Wait = {
    for: 'a test',
    functionName: 'webhook',
    looks: (_agent, seconds) =>
      Array.from({ length: seconds / 15 }, (_, index) => ({ startMs: index * 15_000, endMs: index * 15_000 + 3000 })),
    reads: (lookMs) => lookMs / 3000,
  };

  test.each<[what: RegExp, dollars: number, because: string]>([
    [/^Step Functions/, 0.1, '1,000 × 4 × $25 / 1,000,000'],
    [/^Lambda: invocations/, 0.0008, '4,000 × $0.20 / 1,000,000'],
    [/^Lambda: time/, 0.041_333_54, '1,000 × 4 × (3 s + 0.1 s) × 0.25 GB × $13.3334 / 1,000,000'],
    [/^DynamoDB: reads/, 0.0005, '4,000 × $0.125 / 1,000,000'],
    [/^CloudWatch Logs/, 0.005_35, '4,000 × (8,100 / 4 + 650 B) × $0.50 / GB'],
  ])('of 1,000 launches that look for 3 s each 15 s, a minute: %s is $%d, %s', (what, dollars) => {
    const minute = minuteOf(everyQuarter, spans.later, counted);

    expect(usd(costOfWaiting(everyQuarter, minute, counted, small), what)).toBeCloseTo(dollars, 10);
  });

  test('a counted function that the template lacks is refused', () => {
    expect(() => costOfThousand(launch, { ...small, functions: {} })).toThrow('webhook was counted');
  });
});

describe("DynamoDB's write units", () => {
  const item = (attributes: object) => Item.parse(attributes);
  const launching = item({ launchId: { S: 'a' }, status: { S: 'launching' } });
  const noted = item({ ...launching, note: { S: 'x'.repeat(1000) } });
  const connected = item({ ...noted, status: { S: 'connected' } });

  test('an item has the size of its names and values, and what lists and maps cost', () => {
    const attributes = { id: { S: 'ü' }, at: { N: '-1800.25' }, none: { NULL: true }, is: { BOOL: true } };

    // 2 + 2, 2 + 4, 4 + 1, 2 + 1
    expect(itemBytes(item(attributes))).toBe(18);
    // 4 + 3 + one byte for the element, and 1; 3 + 3 + one byte for the entry, and 1 + 1
    expect(itemBytes(item({ list: { L: [{ S: 'a' }] }, map: { M: { k: { S: 'v' } } } }))).toBe(18);
  });

  test.each<[what: string, before: Item | undefined, after: Item, table: number, index: number]>([
    ['a new item', undefined, launching, 1, 1],
    ['an item that grows beyond 1 KB', launching, noted, 2, 0],
    ['an item that shrinks again', noted, launching, 2, 0],
    ['a change of the status', noted, connected, 2, 2],
    ['an item without the key of the index', undefined, item({ launchId: { S: 'a' } }), 1, 0],
  ])('%s', (_what, before, after, table, index) => {
    expect(tableUnits(before, after)).toBe(table);
    expect(indexUnits({ index: ['status'], table: ['launchId'] }, before, after)).toBe(index);
  });
});

test.each([
  [0.5, 0.5],
  [1, 1],
  [3, 1.1],
])('Lambda traces of %d invocations a second %d', (invocations, traced) => {
  expect(sampled(invocations)).toBeCloseTo(traced, 10);
});

describe('a template that the price list has no price for is refused', () => {
  const fn = {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Description: 'davit webhook',
      Architectures: ['x86_64'],
      MemorySize: 256,
      LoggingConfig: { SystemLogLevel: 'WARN' },
    },
  };
  const table = { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PROVISIONED' } };

  test.each([
    ['a function on another architecture', { fn }, 'Architectures'],
    [
      'a function for whose successes Lambda logs',
      { fn: { ...fn, Properties: { ...fn.Properties, LoggingConfig: {} } } },
      'SystemLogLevel',
    ],
    ['a table with capacity of its own', { table }, 'BillingMode'],
  ])('%s', (_what, added, named) => {
    const machine = { Type: 'AWS::StepFunctions::StateMachine', Properties: { StateMachineType: 'STANDARD' } };
    const api = { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } };

    expect(() =>
      shapeOf(
        { Resources: { machine, api, ...added } },
        { kubeconfigs: 0, webhookSecrets: 0, ciCredentials: 0, clusters: 0 },
      ),
    ).toThrow(named);
  });
});

test.each(allWaits)('after its first minute, a launch that waits for $for costs little', (wait) => {
  const { looks, heldSeconds } = minuteOf(wait, spans.later, readCounts());

  expect(looks).toBeLessThanOrEqual(5);
  expect(heldSeconds).toBeLessThanOrEqual(60 / 4);
});

describe('limits', () => {
  const limits = limitsOf(readCounts(), shape);

  test('are listed in the order in which they are reached', () => {
    const rates = limits.map(reachedAt);

    expect(rates).toEqual(rates.toSorted((one, other) => one - other));
    expect(limits[0]?.what).toMatch(/ResourceQuota/);
  });

  test.each<[what: RegExp, rate: number, because: string]>([
    [/ResourceQuota/, 100 / 630, '100 agents, of which each is there for 630 s'],
    [/node ports/, 2768 / 630, '2,768 ports, of which each is taken for 630 s'],
    [/StartExecution/, 300, 'one a launch'],
    [/API's throttle/, 1000 / 3, 'two webhooks and a connect'],
  ])('%s is reached at %d launches a second: %s', (what, rate) => {
    const limit = limits.find((one) => what.test(one.what));

    expect(limit && reachedAt(limit)).toBeCloseTo(rate, 5);
  });
});
