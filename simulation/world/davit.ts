import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import type { InvokedEvents } from '../../core/invoked-events.ts';
import type { AgentLimit } from '../../core/limits/agent-limit.ts';
import { admit } from '../../functions/admit/admit.ts';
import { CleanUpInput, CleanUpOutput, cleanUp } from '../../functions/clean-up/clean-up.ts';
import { answerConnect } from '../../functions/connect/connect.ts';
import { CreatePodInput, CreatePodOutput, createPod } from '../../functions/create-pod/create-pod.ts';
import {
  CreateServiceInput,
  CreateServiceOutput,
  createService,
} from '../../functions/create-service/create-service.ts';
import { answerLaunches } from '../../functions/launches/launches.ts';
import { type PollCiInput, type PollCiReport, pollCi, pollTotalMs } from '../../functions/poll-ci/poll-ci.ts';
import { PollHostIPInput, PollHostIPOutput, pollHostIP } from '../../functions/poll-host-ip/poll-host-ip.ts';
import { PollNodePortInput, PollNodePortOutput, pollNodePort } from '../../functions/poll-node-port/poll-node-port.ts';
import { type ProbeDeps, probe } from '../../functions/probe/probe.ts';
import { PublishTokenOutput, publishToken } from '../../functions/publish-token/publish-token.ts';
import { PublishTokenInput } from '../../functions/publish-token/publish-token-input.ts';
import { reconcile } from '../../functions/reconcile/reconcile.ts';
import { registerRunner } from '../../functions/register-runner/register-runner.ts';
import { RelaunchInput, RelaunchOutput, relaunch } from '../../functions/relaunch/relaunch.ts';
import { retireRunner } from '../../functions/retire-runner/retire-runner.ts';
import { sweep } from '../../functions/sweep/sweep.ts';
import type { SweepLimits } from '../../functions/sweep/sweep-run.ts';
import { answerCompleted, answerQueued, answerRegisteredJob } from '../../functions/webhook/answer-job.ts';
import type { SystemPace } from '../../logic/pace/system-pace.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { OpenCluster, OpenClusterHealth } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { CredentialIssuer, CredentialVerifier } from '../../ports/credentials.ts';
import type { Executions } from '../../ports/executions.ts';
import type { FailingDeliveries } from '../../ports/failing-deliveries.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import type { PollCursors } from '../../ports/poll-cursors.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import type { Registrar } from '../../ports/registrar.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import type { SigningSecrets } from '../../ports/secrets.ts';
import type { Slots } from '../../ports/slots.ts';
import type { TokenPublisher, TokenReader } from '../../ports/tokens.ts';
import type { ToldJobs } from '../../ports/told-jobs.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';

/** The dependencies of all of davit's functions, for one run. */
export interface SimulatedDeps {
  openCluster: OpenCluster;
  openHealth: OpenClusterHealth;
  clusterStates: ClusterStates;
  launches: Launches;
  registrations: Registrations;
  registrar: Registrar;
  jobs: Jobs;
  ciSystems: readonly CiSystemConfig[];
  ciSystemOf: (name: string) => CiSystem;
  installationId: string;
  spending: RateSpending;
  pace: SystemPace;
  cursors: RoundCursors;
  pollCursors: PollCursors;
  failingDeliveries: FailingDeliveries;
  ciClocks: CiClocks;
  lost: LostJobs;
  told: Pick<ToldJobs, 'listPending'>;
  newNonce: () => string;
  standbyLookMs: number;
  agentLimits: readonly AgentLimit[];
  slots: Slots;
  tokens: TokenReader & TokenPublisher;
  executions: Executions;
  invokeLater: InvokeLater<keyof InvokedEvents>;
  credentials: CredentialIssuer & CredentialVerifier;
  newCredentialId: () => string;
  secretsOf: (id: string) => SigningSecrets;
  clusters: readonly string[];
  profiles: readonly Profile[];
  limits: SweepLimits;
  totalMs: number;
  random: () => number;
  log: ProbeDeps['log'];
  sleep: (ms: number) => Promise<void>;
  publicUrl: string;
  sleepMs: (ms: number, signal: AbortSignal) => Promise<void>;
  nowEpochMs: () => number;
}

/** Polls with cursors of its own: a reconcile's are others. */
function pollSystems(deps: SimulatedDeps, input: PollCiInput): Promise<PollCiReport> {
  return pollCi({ ...deps, cursors: deps.pollCursors, totalMs: pollTotalMs, queueHolder: 'one' }, input);
}

/** Davit's own logic, by function. A mutant replaces parts of it. */
export const davit = {
  createService,
  pollNodePort,
  createPod,
  pollHostIP,
  publishToken,
  relaunch,
  cleanUp,
  sweep,
  admit,
  answerQueued,
  answerCompleted,
  answerRegisteredJob,
  registerRunner,
  retireRunner,
  reconcile,
  pollCi: pollSystems,
  probe,
  answerLaunches,
  answerConnect,
};
/** Davit's logic, unchanged or with a part replaced. */
export type Davit = typeof davit;

type RunStep = (logic: Davit, deps: SimulatedDeps, event: unknown) => Promise<unknown>;

interface Schema<Value> {
  parse(value: unknown): Value;
}

/** Runs a step as its handler does, with checks of its input and output. */
function step<Input, Output>(
  input: Schema<Input>,
  output: Schema<Output>,
  run: (logic: Davit, deps: SimulatedDeps, input: Input) => Promise<Output>,
): RunStep {
  return async (logic, deps, event) => output.parse(await run(logic, deps, input.parse(event)));
}

const steps = {
  'create-service': step(CreateServiceInput, CreateServiceOutput, (logic, deps, input) =>
    logic.createService(deps, input),
  ),
  'poll-node-port': step(PollNodePortInput, PollNodePortOutput, (logic, deps, input) =>
    logic.pollNodePort(deps, input),
  ),
  'create-pod': step(CreatePodInput, CreatePodOutput, (logic, deps, input) => logic.createPod(deps, input)),
  'poll-host-ip': step(PollHostIPInput, PollHostIPOutput, (logic, deps, input) => logic.pollHostIP(deps, input)),
  'publish-token': step(PublishTokenInput, PublishTokenOutput, (logic, deps, input) => logic.publishToken(deps, input)),
  relaunch: step(RelaunchInput, RelaunchOutput, (logic, deps, input) => logic.relaunch(deps, input)),
  'clean-up': step(CleanUpInput, CleanUpOutput, (logic, deps, input) => logic.cleanUp(deps, input)),
} satisfies Partial<Record<FunctionName, RunStep>>;

/** The functions that the state machine runs, and those that take an event. */
export type StepName = keyof typeof steps;

/** Says whether a function is a step. */
export function isStep(functionName: FunctionName): functionName is StepName {
  return Object.hasOwn(steps, functionName);
}

/** Runs one function with one event, on davit's logic and the function's dependencies. */
export type Run<Output> = (logic: Davit, deps: SimulatedDeps) => Promise<Output>;

/** @returns a run that throws what the step throws, and ZodError for invalid input or output */
export function runStep(functionName: StepName, event: unknown): Run<unknown> {
  return (logic, deps) => steps[functionName](logic, deps, event);
}
