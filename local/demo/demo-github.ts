import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Config } from '../../core/config/config.ts';
import { deliveredJob } from '../github/github-hook.ts';
import type { GithubJob, GithubRunner } from '../github/github-state.ts';
import {
  createGithubWebhooks,
  type DeliveryAnswer,
  type GithubWebhooks,
  type JobAction,
} from '../github/github-webhooks.ts';
import { type LocalGithub, startGithub } from '../github/start-github.ts';
import type { Screen } from './screen.ts';

/** The demo's GitHub: it shows its events, and sends them to davit as webhooks. */
export interface DemoGithub extends AsyncDisposable {
  /**
   * Changes a config so that davit acts in this GitHub and registers every agent there.
   *
   * @param agentCommand starts the reference agent, which is its own runner, instead of the preset's
   */
  joinedBy(config: Config, agentCommand: readonly string[]): Config;
  /** davit's secrets for that, by their names. */
  secrets: Record<string, string>;
  /** Sends the webhooks to davit from now on. Call it before the first job. */
  sendTo(webhookUrl: string, secret: string): void;
  /** Queues a job. @returns the job, which stays up to date */
  queue(job: Pick<GithubJob, 'name' | 'labels' | 'steps'>): GithubJob;
  /** Waits for davit's answer to a webhook of a job. */
  answered(job: GithubJob, action: JobAction): Promise<DeliveryAnswer>;
  /** The number of runners registered so far, and the names of the present ones. */
  runners(): { registered: number; left: string[] };
}

const organization = 'acme';
const repository = 'app';
const tokenSecret = 'davit-github-token';

/**
 * Starts the demo's GitHub.
 *
 * @param listen the address at which davit and the agents reach it. @default the loopback address
 */
export async function startDemoGithub(screen: Screen, listen?: string): Promise<DemoGithub> {
  const answers = new Map<string, PromiseWithResolvers<DeliveryAnswer>>();
  let webhooks: GithubWebhooks | undefined;
  let registered = 0;

  function answerTo({ id }: GithubJob, action: JobAction): PromiseWithResolvers<DeliveryAnswer> {
    const key = `${id} ${action}`;
    const known = answers.get(key) ?? Promise.withResolvers<DeliveryAnswer>();
    answers.set(key, known);
    // The demo does not wait for most of the answers.
    known.promise.catch(() => {});
    return known;
  }

  function onJob(job: GithubJob, action: JobAction): void {
    screen.line('github', wordsOf(job), job.conclusion === 'success' ? 'good' : 'plain');
    const delivery = webhooks?.deliver(deliveredJob(github, job), action).then((answer) => {
      screen.line('github', `webhook ${action} of job ${job.id} → ${answer.status}`);
      return answer;
    });
    answerTo(job, action).resolve(delivery ?? Promise.reject(new Error('GitHub knows no URL for its webhooks')));
  }

  function onRunner({ name }: GithubRunner, is: 'registered' | 'gone'): void {
    if (is === 'registered') registered += 1;
    screen.line('github', is === 'registered' ? `registers runner ${name} by a JIT configuration` : `${name} is gone`);
  }

  const github = await startGithub({
    organizations: [organization],
    onJob,
    onRunner,
    onFailure: (error) => screen.line('github', String(error), 'bad'),
    ...(listen === undefined ? {} : { listen }),
  });
  return {
    joinedBy: (config, agentCommand) => joined(config, github, agentCommand),
    secrets: { [tokenSecret]: github.token },
    sendTo: (webhookUrl, secret) => {
      webhooks = createGithubWebhooks(webhookUrl, secret);
    },
    queue: (job) => github.state.queueRun(organization, repository, [job])[0],
    answered: (job, action) => answerTo(job, action).promise,
    runners: () => ({ registered, left: [...github.state.runners.values()].map(({ name }) => name) }),
    [Symbol.asyncDispose]: () => github.stop(),
  };
}

function wordsOf({ id, labels, status, runnerName, conclusion, output = '' }: GithubJob): string {
  if (status === 'queued') return `job ${id} is queued (${labels.join(' ')})`;
  if (status === 'in_progress') return `job ${id} runs on ${runnerName}`;
  return `job ${id} has ended: ${conclusion}, "${output.trim()}"`;
}

function joined(config: Config, { url }: LocalGithub, agentCommand: readonly string[]): Config {
  const ciSystems = config.ciSystems.map(
    (system): CiSystemConfig => (system.provider === 'github' ? { ...system, url, tokenSecret } : system),
  );
  const profiles = config.profiles.map((profile) => {
    const { template, agentContainer } = profile;
    const containers = template.spec.containers.map((container) =>
      container.name === agentContainer ? { command: agentCommand, ...container } : container,
    );
    return { ...profile, runner: 'github' as const, template: { ...template, spec: { ...template.spec, containers } } };
  });
  return { ...config, ciSystems, profiles };
}
