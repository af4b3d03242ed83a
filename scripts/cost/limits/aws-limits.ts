import { assumed } from '../assumptions.ts';
import type { StackShape } from '../stack-shape.ts';
import type { Limit } from './limit.ts';
import type { Use } from './use.ts';

/** Default quotas of an account in us-east-1. Those of Step Functions are from early 2026. */
export const quotas = {
  lambdaConcurrency: 1000,
  lambdaConcurrencyOfNewAccount: 10,
  /** The concurrency that Lambda keeps for functions without a reservation. */
  lambdaUnreserved: 100,
  lambdaEnvironmentsPerSecond: 100,
  startExecution: 300,
  stopExecution: 200,
  stateTransition: 5000,
  httpApi: 10_000,
  newTableWrites: 4000,
  newTableReads: 12_000,
  partitionWrites: 1000,
  putEvents: 10_000,
  getSecretValue: 10_000,
  getCallerIdentity: 600,
} as const;

/** A new table has four partitions, and its stream has as many shards. Lambda takes the batches of a shard one by one. */
const newTableShards = 4;

/** The limits of the account and of the stack. */
export function awsLimits(use: Use, { throttle }: StackShape): Limit[] {
  return [
    {
      what: 'Lambda: concurrent executions of the account',
      quota: quotas.lambdaConcurrency,
      unit: 'at once',
      perLaunchASecond: use.functionSeconds,
      beyond:
        'steps are repeated until their deadlines; webhooks and agents are refused (alarms StepsThrottled, DoorsThrottled)',
      raise: `the quota "Concurrent executions"; a new account may have as few as ${quotas.lambdaConcurrencyOfNewAccount}`,
    },
    {
      what: 'Lambda: new environments of one function',
      quota: quotas.lambdaEnvironmentsPerSecond,
      unit: 'a second',
      perLaunchASecond: 1,
      beyond: 'Lambda throttles a sudden burst until it has started enough environments; the calls are repeated',
      raise: 'nothing: AWS starts at most a thousand in ten seconds',
    },
    {
      what: "davit: the API's throttle",
      quota: throttle,
      unit: 'requests a second',
      perLaunchASecond: use.httpRequests,
      beyond: '429: agents ask again; GitHub must deliver a refused webhook again',
      raise: '`throttle` of the construct',
    },
    {
      what: 'API Gateway: requests of the account',
      quota: quotas.httpApi,
      unit: 'requests a second',
      perLaunchASecond: use.httpRequests,
      beyond: "429, as with the API's throttle",
      raise: 'the quota "Throttle rate"',
    },
    {
      what: 'Step Functions: StartExecution',
      quota: quotas.startExecution,
      unit: 'a second (most regions: 150)',
      perLaunchASecond: use.executionsStarted,
      beyond: 'AWS accepts bursts of 1,300; beyond, davit records the launch and a sweep starts it',
      raise: 'its quota, "StartExecution throttle token refill rate"',
    },
    {
      what: 'Step Functions: StopExecution',
      quota: quotas.stopExecution,
      unit: 'a second (most regions: 25)',
      perLaunchASecond: use.executionsStopped,
      beyond: 'AWS accepts bursts of 1,000; beyond, davit records the end and a sweep finishes it',
      raise: 'its quota',
    },
    {
      what: 'Step Functions: StateTransition',
      quota: quotas.stateTransition,
      unit: 'a second (most regions: 800)',
      perLaunchASecond: use.transitions,
      beyond: 'executions are slower (metric ExecutionThrottled); none fails because of it',
      raise: 'its quota',
    },
    {
      what: 'DynamoDB: writes of a new table',
      quota: quotas.newTableWrites,
      unit: 'units a second',
      perLaunchASecond: use.writeUnits,
      beyond: 'throttled and repeated; a table grows to twice its last peak in half an hour',
      raise: "the table's warm throughput; beyond 40,000 the quota of a table",
    },
    {
      what: 'DynamoDB: reads of a new table',
      quota: quotas.newTableReads,
      unit: 'units a second',
      perLaunchASecond: use.readUnits,
      beyond: 'throttled and repeated; a table grows to twice its last peak in half an hour',
      raise: "the table's warm throughput; beyond 40,000 the quota of a table",
    },
    {
      // The index keeps the launches of one status next to each other, the newest together: the table's growth does not separate them.
      what: 'DynamoDB: one status in the index `byStatus`',
      quota: quotas.partitionWrites,
      unit: 'units a second',
      perLaunchASecond: use.indexUnits,
      beyond: "the table's own writes are throttled, and repeated",
      raise: 'nothing: move some of the profiles to another davit',
    },
    {
      what: 'davit: changes published at once, one for each of the four shards of a new table',
      quota: newTableShards,
      unit: 'shards',
      perLaunchASecond: use.changes * assumed.publishEventSeconds,
      beyond: 'events and metrics are late (alarm EventsAreLate); none is lost within a day',
      raise: "shards come with the table's growth",
    },
    {
      what: 'EventBridge: PutEvents',
      quota: quotas.putEvents,
      unit: 'a second (fewer elsewhere)',
      perLaunchASecond: use.events,
      beyond: 'events are late; none is lost within a day',
      raise: 'the quota "PutEvents throttle limit in transactions per second"',
    },
    {
      what: 'Secrets Manager: GetSecretValue',
      quota: quotas.getSecretValue,
      unit: 'a second',
      // Each environment reads each of its secrets, two at most, once in five minutes.
      perLaunchASecond: (2 * use.functionSeconds) / assumed.secretSeconds,
      beyond: 'steps are repeated',
      raise: 'nothing; `eks` instead of kubeconfigs needs fewer',
    },
    {
      what: 'STS: GetCallerIdentity, which EKS calls to check a token',
      quota: quotas.getCallerIdentity,
      unit: 'a second',
      perLaunchASecond: use.functionSeconds / assumed.eksTokenSeconds,
      beyond: '401: steps make another token, and repeat',
      raise: 'nothing; more accounts',
    },
  ];
}
