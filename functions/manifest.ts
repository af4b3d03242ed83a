/** How one Lambda is run. */
export interface FunctionSettings {
  /** Longer than the function's own waits, so that Lambda's time-out is never the one that ends them. */
  timeoutSeconds: number;
  memoryMiB: number;
}

/** How long one attempt of CleanUp waits, in milliseconds. The steps before it wait as functions/steps/look.ts says. */
export const observeMs = 20_000;

// 22 s of watching, and room for a cold start and one slow call before and after it. Of the steps' bundles the largest was
// seen to take 142 MiB, await-agent's.
const watching = { timeoutSeconds: 35, memoryMiB: 192 };
// Two calls, each with a time-out of 5 s, and each made again after at most 5 s when the cluster says so at once.
const calling = { timeoutSeconds: 30, memoryMiB: 192 };
// Three calls that time out after 9 s each still get their 503; API Gateway gives up at 30 s.
const answering = { timeoutSeconds: 29, memoryMiB: 256 };

// It stops by itself at 35 s, see sweepLimits; and is over when the schedule's next minute begins. Thousands of objects
// are in its memory at once.
const sweeping = { timeoutSeconds: 55, memoryMiB: 512 };

// A call for each change of a batch, of 20 ms as a rule; at worst the last one is silent, 9 s.
const publishing = { timeoutSeconds: 30, memoryMiB: 192 };

/** How long one request to a CI system may take, in milliseconds. */
export const ciRequestMs = 5000;

// Three requests to the CI system as a rule, seven at worst, of 0.1 to 1 s each. Its end is in time for connect's own.
const registering = { timeoutSeconds: 25, memoryMiB: 256 };

// It waits 15 s for a Gitea to settle, and makes five requests of up to 5 s beside.
const retiring = { timeoutSeconds: 60, memoryMiB: 256 };

// It begins nothing more after 30 s, see reconcileTotalMs; and is over when the schedule's next minute begins.
const reconciling = { timeoutSeconds: 55, memoryMiB: 512 };

/** How often a sweep is made, in minutes. */
export const sweepIntervalMinutes = 1;

/** How often davit reconciles with the CI systems, in minutes. */
export const reconcileIntervalMinutes = 1;

/** Every Lambda of davit, by the name of its folder. */
export const functionSettings = {
  webhook: answering,
  launches: answering,
  connect: answering,
  'register-runner': registering,
  'retire-runner': retiring,
  'create-service': calling,
  'poll-node-port': watching,
  'create-pod': calling,
  'poll-host-ip': watching,
  'publish-token': calling,
  'await-agent': watching,
  relaunch: calling,
  'clean-up': watching,
  sweep: sweeping,
  reconcile: reconciling,
  'publish-events': publishing,
} as const satisfies Record<string, FunctionSettings>;

/** The name of a Lambda: its folder's. */
export type FunctionName = keyof typeof functionSettings;

/**
 * The placeholders of `statemachine/launch.asl.json`, and the function that each stands for; beside them there is
 * `Partition`, which is `aws`, `aws-cn` or `aws-us-gov`.
 */
export const stateMachineFunctions = {
  CreateServiceFunctionArn: 'create-service',
  PollNodePortFunctionArn: 'poll-node-port',
  CreatePodFunctionArn: 'create-pod',
  PollHostIPFunctionArn: 'poll-host-ip',
  PublishTokenFunctionArn: 'publish-token',
  AwaitAgentFunctionArn: 'await-agent',
  RelaunchFunctionArn: 'relaunch',
  CleanUpFunctionArn: 'clean-up',
} as const satisfies Record<string, FunctionName>;

/** One route of the HTTP API. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  functionName: FunctionName;
  /** `self`: the function checks the caller itself (a signature, a credential). `iam`: API Gateway does, by SigV4. */
  authorization: 'self' | 'iam';
}

/** The HTTP API: the same on AWS and locally. */
export const routes: readonly Route[] = [
  { method: 'POST', path: '/webhooks/{name}', functionName: 'webhook', authorization: 'self' },
  { method: 'POST', path: '/agents/{agentName}/connect', functionName: 'connect', authorization: 'self' },
  { method: 'POST', path: '/launches', functionName: 'launches', authorization: 'iam' },
  { method: 'GET', path: '/launches', functionName: 'launches', authorization: 'iam' },
  { method: 'GET', path: '/launches/{launchId}', functionName: 'launches', authorization: 'iam' },
  { method: 'DELETE', path: '/launches/{launchId}', functionName: 'launches', authorization: 'iam' },
];
