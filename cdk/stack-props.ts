import { RemovalPolicy } from 'aws-cdk-lib';
import type { Config } from '../core/config/config.ts';
import { type AppContext, reservedConcurrencyOf } from './app-context.ts';
import type { DavitStackProps } from './davit-stack.ts';

/** The options of a deployment that need no lookup in the account. */
export type StackOptions = Omit<AppContext, 'config' | 'vpcId'>;

/** Turns the options of a deployment into the properties of its stack. */
export function stackPropsOf(
  config: Config,
  { throwAway, domainName, certificateArn, publicUrl, ...concurrency }: StackOptions,
): DavitStackProps {
  return {
    description: 'davit: launches CI build agents in Kubernetes',
    config,
    removalPolicy: throwAway ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    ...(domainName === undefined || certificateArn === undefined ? {} : { ownName: { domainName, certificateArn } }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    reservedConcurrency: reservedConcurrencyOf(concurrency),
  };
}
