import { mkdtemp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../core/config/config.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { agentCommand, agentImages, containerCommand } from '../agent/image.ts';
import { inContainers } from '../agent/in-containers.ts';
import { showPlaces } from '../runtime/runtime-places.ts';
import {
  type LocalCluster,
  type SandboxedCluster,
  saveKubeconfig,
  startSandbox,
  useKubeconfig,
} from '../runtime/start-cluster.ts';
import { startRuntime } from '../runtime/start-runtime.ts';
import { untilInterrupted } from '../runtime/until-interrupted.ts';
import type { DemoArguments } from './arguments.ts';
import { type CiServer, type Registration, startCiServer } from './ci-server.ts';
import { startCount } from './cluster-count.ts';
import { startDemoGithub } from './demo-github.ts';
import { type DemoJob, type LaunchReport, type RunLaunchDeps, runFailure, runLaunch } from './run-launch.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { createScreen, type Screen } from './screen.ts';
import { showStates } from './show-states.ts';
import { showSummary } from './summary.ts';

const patienceMs = 120_000;

/** Runs the demo. @returns whether everything went as expected */
export async function runDemo(options: DemoArguments): Promise<boolean> {
  const screen = createScreen(process.stdout, () => performance.now());
  const configPath = fileURLToPath(new URL('../../davit.yaml', import.meta.url));
  const scenario = scenarioOf(await readConfig(configPath), options);
  const stateDirectory = await mkdtemp(join(process.cwd(), '.davit-demo-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(stateDirectory, { recursive: true, force: true }));

  const { listen } = options;
  const command = options.kubeconfig === undefined ? agentCommand : containerCommand;
  const github = resources.use(await startDemoGithub(screen, listen));
  const accept = (registration: Registration) => dialBack(screen, ci, registration);
  const ci: CiServer = await startCiServer({ accept, ...(listen === undefined ? {} : { listen }) });
  resources.defer(() => ci.stop());
  const { cluster, config } = await openCluster(options, github.joinedBy(scenario.config, command), ci, stateDirectory);
  if ('sandbox' in cluster) resources.use(cluster);
  screen.line(
    'davit',
    `starts: local runtime, ${'sandbox' in cluster ? 'sandbox cluster, no network but the loopback' : options.kubeconfig}`,
  );
  const given = listen === undefined ? {} : { listen: { host: listen } };
  const runtime = resources.use(
    await startRuntime({ config, cluster, stateDirectory, secrets: github.secrets, ...given }),
  );
  if ('sandbox' in cluster) await saveKubeconfig(cluster);
  const count = resources.use(await startCount(cluster));
  screen.line('davit', `listens at ${runtime.url}; kubectl --kubeconfig ${cluster.kubeconfigPath} get pods -w`);
  resources.defer(showStates(screen, runtime));

  github.sendTo(`${runtime.url}/webhooks/github`, await runtime.webhookSecret('github'));
  const deps: RunLaunchDeps = {
    github,
    ci,
    screen,
    davitUrl: runtime.url,
    launchesToken: runtime.launchesToken,
    signal: AbortSignal.timeout(patienceMs + options.launches * 1000),
  };
  const reports = await runJobs(deps, scenario, options);
  const summary = showSummary(screen, reports, await count.end(reports), github.runners(), options.keep);
  if (options.keep) {
    resources.defer(await showPlaces(runtime, { cluster, contexts: [], kubeconfigSecrets: {} }, stateDirectory));
    for (const line of keptLines(relative(process.cwd(), stateDirectory), cluster)) screen.heading(line);
    await untilInterrupted();
  }
  return summary;
}

/** The commands to look at a demo that stays up. */
function keptLines(state: string, { kubeconfigPath }: LocalCluster): string[] {
  // The command of this checkout, or of the package.
  const davit = process.env['DAVIT_COMMAND'] === undefined ? 'npx node cli/davit.ts' : 'davit';
  return [
    '\nStaying up until Ctrl-C. Look at it from another terminal:',
    `  ${davit} console --state ${state}`,
    `  ${davit} list --state ${state}`,
    `  kubectl --kubeconfig ${kubeconfigPath} get services,pods`,
  ];
}

/** Opens the cluster in which the agents run, and adapts the config to it. */
async function openCluster(
  { kubeconfig }: DemoArguments,
  config: Config,
  ci: CiServer,
  stateDirectory: string,
): Promise<{ cluster: LocalCluster | SandboxedCluster; config: Config }> {
  if (kubeconfig !== undefined) {
    return { cluster: await useKubeconfig(kubeconfig), config: inContainers(config, ci.url) };
  }
  return { cluster: await startSandbox(config, stateDirectory, { images: agentImages(ci.url) }), config };
}

/** Dials an agent at the address in davit's connect answer, before the agent goes on to its job. */
async function dialBack(
  screen: Screen,
  ci: CiServer,
  { agentName, token, pendingAnswers }: Registration,
): Promise<void> {
  const { host, port } = token;
  const saw = `${pendingAnswers} × 503, then 200`;
  screen.line('agent', `${agentName} is connected: it saw ${saw}, and is reached at ${host}:${port}`, 'good');
  const { output } = await ci.run(token, { run: ['sh', '-c', 'echo $DAVIT_AGENT_NAME'] });
  if (output.trim() !== agentName) throw new Error(`${host}:${port} is not ${agentName}: "${output.trim()}" answers`);
  screen.line('ci', `dialled ${host}:${port}: ${output.trim()} answers`);
}

/** Runs the jobs with limited concurrency. A job that throws becomes a failed report. */
async function runJobs(
  deps: RunLaunchDeps,
  { labels, failsWith }: Scenario,
  options: DemoArguments,
): Promise<LaunchReport[]> {
  const step = options.keep ? 'sleep 86400' : 'echo built on $(uname -s)';
  const jobs = Array.from(
    { length: options.launches },
    (): DemoJob => ({ name: 'build', labels: [...labels], steps: [step] }),
  );
  const reports: LaunchReport[] = [];
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const run = failsWith ? runFailure(deps, job, failsWith) : runLaunch(deps, job, options.keep);
      reports.push(await run.catch((error: unknown) => ({ launchId: job.name, problem: String(error) })));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return reports;
}
