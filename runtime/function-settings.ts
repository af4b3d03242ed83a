/** How one Lambda is run. */
export interface FunctionSettings {
  /** Longer than the function's own waits, so that Lambda's time-out never ends them. */
  timeoutSeconds: number;
  memoryMiB: number;
}

/** How long one attempt of CleanUp waits, in milliseconds. The steps before it wait as logic/steps/look.ts says. */
export const observeMs = 20_000;

// 22 s of watching, and room for a cold start and one slow call before and after it. The largest measured memory use of a
// step was 142 MiB, by the one that waits for agents.
const watching = { timeoutSeconds: 35, memoryMiB: 192 };
// Two calls, each with a time-out of 5 s. Each may be repeated after at most 5 s if the cluster asks for that at once.
const calling = { timeoutSeconds: 30, memoryMiB: 192 };
// Three calls that time out after 9 s each still get their 503; API Gateway gives up at 30 s.
const answering = { timeoutSeconds: 29, memoryMiB: 256 };

// It stops by itself at 35 s, see sweepLimits, and ends before the schedule's next minute begins. It holds thousands of
// objects in memory at once.
const sweeping = { timeoutSeconds: 59, memoryMiB: 512 };

// One call for each change of a batch, usually 20 ms. At worst the last call gets no answer, which takes 9 s.
const publishing = { timeoutSeconds: 30, memoryMiB: 192 };

/** How long one request to a CI system may take, in milliseconds. */
export const ciRequestMs = 5000;

// Usually three requests to the CI system, seven at worst, of 0.1 to 1 s each. It ends in time for connect's own
// time-out.
const registering = { timeoutSeconds: 25, memoryMiB: 256 };

// It waits 15 s for a Gitea to settle, or 60 s for a GitLab, and makes up to seven requests of up to 5 s each. In a Forgejo it
// watches a runner for 65 s more whose job runs elsewhere.
const retiring = { timeoutSeconds: 120, memoryMiB: 256 };

// One request to the CI system, of up to 5 s, or a second one where two reports crossed.
const reporting = { timeoutSeconds: 25, memoryMiB: 256 };

// It begins no launch after 20 s. A call without an answer takes 9 s, and ends the run.
const admitting = { timeoutSeconds: 60, memoryMiB: 256 };

// It begins nothing more after 25 s, see reconcileTotalMs, and ends before the schedule's next minute begins.
const reconciling = { timeoutSeconds: 59, memoryMiB: 512 };

// It begins no poll after 58 s, see pollTotalMs. A poll makes two requests to the CI system, of up to 5 s each, and three
// more for each job that has begun or ended. It waits for a scale set's message until then, and makes two requests for its run.
const polling = { timeoutSeconds: 90, memoryMiB: 192 };

// It begins no look after 60 s, see probeLimits. A proof makes four calls of up to 2 s in each namespace.
const probing = { timeoutSeconds: 75, memoryMiB: 192 };

/** How often a sweep is made, in minutes. */
export const sweepIntervalMinutes = 1;

/** How often davit reconciles with the CI systems, in minutes. */
export const reconcileIntervalMinutes = 1;

/** How often the polling of CI systems begins, in minutes: each run goes on until the next one. */
export const pollIntervalMinutes = 1;

/** How often the clusters are probed, in minutes. */
export const probeIntervalMinutes = 1;

/** The functions that other functions invoke, beside the state machine's, the API's and the schedules'. */
export const invokedFunctions = [
  'clean-up',
  'register-runner',
  'retire-runner',
  'report-to-ci',
  'admit',
  'publish-events',
  'probe',
  'poll-ci',
] as const satisfies readonly FunctionName[];
export type InvokedFunction = (typeof invokedFunctions)[number];

/** Every Lambda of davit, by the name of its folder. */
export const functionSettings = {
  webhook: answering,
  launches: answering,
  clusters: answering,
  jobs: answering,
  connect: answering,
  'describe-api': answering,
  'register-runner': registering,
  'retire-runner': retiring,
  'report-to-ci': reporting,
  'create-service': calling,
  'poll-node-port': watching,
  'create-pod': calling,
  'poll-host-ip': watching,
  'publish-token': watching,
  relaunch: calling,
  'clean-up': watching,
  admit: admitting,
  sweep: sweeping,
  reconcile: reconciling,
  'poll-ci': polling,
  probe: probing,
  'publish-events': publishing,
} as const satisfies Record<string, FunctionSettings>;

/** The name of a Lambda: its folder's. */
export type FunctionName = keyof typeof functionSettings;

/**
 * The placeholders of `statemachine/launch.asl.json`, and the function of each. There is one more, `Partition`: `aws`,
 * `aws-cn` or `aws-us-gov`.
 */
export const stateMachineFunctions = {
  CreateServiceFunctionArn: 'create-service',
  PollNodePortFunctionArn: 'poll-node-port',
  CreatePodFunctionArn: 'create-pod',
  PollHostIPFunctionArn: 'poll-host-ip',
  PublishTokenFunctionArn: 'publish-token',
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
  { method: 'GET', path: '/openapi.json', functionName: 'describe-api', authorization: 'iam' },
  { method: 'POST', path: '/webhooks/{name}', functionName: 'webhook', authorization: 'self' },
  { method: 'POST', path: '/agents/{agentName}/connect', functionName: 'connect', authorization: 'self' },
  { method: 'POST', path: '/launches', functionName: 'launches', authorization: 'iam' },
  { method: 'GET', path: '/launches', functionName: 'launches', authorization: 'iam' },
  { method: 'GET', path: '/launches/{launchId}', functionName: 'launches', authorization: 'iam' },
  { method: 'DELETE', path: '/launches/{launchId}', functionName: 'launches', authorization: 'iam' },
  { method: 'GET', path: '/jobs', functionName: 'jobs', authorization: 'iam' },
  { method: 'GET', path: '/clusters', functionName: 'clusters', authorization: 'iam' },
  { method: 'GET', path: '/clusters/{name}', functionName: 'clusters', authorization: 'iam' },
];
