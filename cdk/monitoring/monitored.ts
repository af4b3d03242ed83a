import type { IHttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { FunctionName } from '../../runtime/function-settings.ts';
import type { DavitMetrics } from './davit-metrics.ts';

/** The parts of one davit that the alarms and the dashboard monitor. */
export interface Monitored {
  metrics: DavitMetrics;
  functions: Readonly<Record<FunctionName, { lambda: IFunction }>>;
  api: { stage: IHttpStage };
  stateMachine: StateMachine;
  /** Undefined in a davit that acts in no CI system. */
  reconcileSchedule: CfnSchedule | undefined;
  /** Undefined if every CI system sends webhooks. */
  pollSchedule: CfnSchedule | undefined;
  failedCleanUps: IQueue;
  undelivered: IQueue;
  unpublishedEvents: IQueue;
}
