/**
 * davit for CDK apps: the construct, a stack of its own, and the reader of davit.yaml.
 *
 * @example
 * import { App } from 'aws-cdk-lib';
 * import { DavitStack, readConfig } from '@davit-ci/davit';
 *
 * const app = new App();
 * new DavitStack(app, 'Davit', { config: await readConfig('davit.yaml') });
 *
 * @packageDocumentation
 */

export type { Config } from '../core/config/config.ts';
export { ConfigError } from '../core/config/config-problem.ts';
export { parseConfig, readConfig } from '../core/config/read-config.ts';
export type { FunctionName } from '../runtime/function-settings.ts';
export type { CustomDomain } from './constructs/custom-domain.ts';
export { Davit } from './constructs/davit.ts';
export type { DavitProps } from './constructs/davit-props.ts';
export type { EksClusterInApp } from './constructs/eks-clusters.ts';
export { DavitStack, type DavitStackProps } from './davit-stack.ts';
export type { AlarmOptions } from './monitoring/alarms.ts';
export type { AgentNamespaceLimits } from './rbac/agent-namespace.ts';
