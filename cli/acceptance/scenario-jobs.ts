import { TransientError } from '../../core/errors/errors.ts';
import { liveStatuses } from '../../core/launch/launch-record.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import { verifyJobs } from '../../verify/jobs/verify-jobs.ts';
import type { Acceptance } from './acceptance.ts';
import type { SeenAttempt } from './acceptance-ci.ts';
import { SeenJobs } from './history.ts';
import { poll } from './poll.ts';
import type { Evidence, ScenarioRun, StartedJobs } from './scenario.ts';
import { areOver } from './scenarios/are-over.ts';

/** How long the jobs of a batch may take to appear, in milliseconds. */
const cancelMs = 30_000;

/** The jobs of one scenario: it starts them, reads them, and cancels those that go on. */
export class ScenarioJobs implements ScenarioRun {
  readonly burst: number;
  readonly launches: ScenarioRun['launches'];
  readonly deletePod: ScenarioRun['deletePod'];
  readonly webhook: ScenarioRun['webhook'];
  readonly webhookNews: ScenarioRun['webhookNews'];
  readonly #acceptance: Acceptance;
  readonly #name: string;
  readonly #seen = new SeenJobs();
  /** The batches that are started, and how many jobs each has. */
  readonly #batches = new Map<string, number>();
  #shown = '';

  constructor(acceptance: Acceptance, name: string) {
    this.#acceptance = acceptance;
    this.#name = name;
    this.burst = acceptance.burst;
    this.launches = acceptance.launches;
    this.deletePod = acceptance.deletePod;
    this.webhook = acceptance.webhook;
    this.webhookNews = acceptance.webhookNews;
  }

  async start({ part, ...jobs }: StartedJobs): Promise<void> {
    await this.#start(part === undefined ? this.#name : `${this.#name}-${part}`, jobs);
  }

  async until(
    what: string,
    isSo: (attempts: readonly SeenAttempt[]) => boolean,
    withinMs = Infinity,
  ): Promise<readonly SeenAttempt[]> {
    await this.#read(what, () => isSo(this.#own), withinMs);
    return this.#own;
  }

  async cancel(): Promise<void> {
    const { ci } = this.#acceptance;
    if (ci.cancel === undefined) return this.#start(this.#next, { jobs: 1, seconds: 1 });
    for (const batch of this.#batches.keys()) await ci.cancel(batch);
  }

  leftMs(): number {
    return this.#acceptance.untilMs - performance.now();
  }

  async pause(ms: number): Promise<void> {
    const { signal } = this.#acceptance;
    await sleepUnlessAborted(ms, signal);
    signal.throwIfAborted();
  }

  say(text: string): void {
    this.#acceptance.say(`${this.#name}: ${text}`);
  }

  async rerun(runId: number): Promise<void> {
    await this.#acceptance.ci.rerun(runId);
  }

  async poll(isSo: () => Promise<boolean>, pauseMs = this.#acceptance.ci.pauseMs): Promise<boolean> {
    return poll({ ...this.#patience(), pauseMs }, isSo);
  }

  async settle(): Promise<void> {
    this.say('waiting until no agent is left');
    await this.poll(async () => (await this.launches()).every(({ status }) => !liveStatuses.includes(status)));
  }

  /** Waits for the end of every job, and until davit has learned of it. @returns what was seen, in any case */
  async finish(): Promise<Evidence> {
    if (this.#batches.size === 0) return { attempts: [], histories: { ci: [], davit: [] } };
    await this.#read('every job is over', () => this.#areOver());
    let launches = await this.launches();
    const evidence = () => ({
      attempts: this.#seen.attempts,
      histories: { ci: this.#seen.history(), davit: this.#seen.historyBy(launches) },
    });
    const patience = {
      ...this.#patience(),
      untilMs: Math.min(this.#acceptance.untilMs, performance.now() + this.#acceptance.learnMs),
    };
    await poll(patience, async () => {
      launches = await this.launches();
      return verifyJobs(evidence().histories.davit).findings.length === 0;
    });
    return evidence();
  }

  /**
   * Cancels the jobs that may go on, also after Ctrl-C. A commit starts its run a moment later, and none when its branch is
   * gone: so this waits for the jobs that it cancels, or for those that cancel them.
   */
  async abandon(): Promise<void> {
    if (this.#batches.size === 0 || this.#areOver()) return;
    const hasCall = this.#acceptance.ci.cancel !== undefined;
    const isThere = hasCall ? await this.#appear([...this.#batches.keys()]) : true;
    await this.cancel();
    if (isThere && (hasCall || (await this.#appear([this.#next])))) return;
    this.#acceptance.onLeft(`${this.#name}: its jobs may go on: cancel them`);
  }

  /** Waits for jobs of each batch, also after Ctrl-C. @returns false when the time is over */
  async #appear(batches: readonly string[]): Promise<boolean> {
    const { ci } = this.#acceptance;
    const { signal } = new AbortController();
    const patience = { untilMs: performance.now() + cancelMs, pauseMs: ci.pauseMs, signal };
    return poll(patience, async () => {
      const seen = new Set((await ci.listAttempts(batches)).map(({ batch }) => batch));
      return batches.every((batch) => seen.has(batch));
    });
  }

  /** The batch that cancels the others. */
  get #next(): string {
    return `next-${this.#name}`;
  }

  get #own(): SeenAttempt[] {
    return this.#seen.attempts.filter(({ batch }) => batch !== this.#next);
  }

  #areOver(): boolean {
    const { attempts } = this.#seen;
    return [...this.#batches].every(([name, jobs]) =>
      areOver(
        attempts.filter(({ batch }) => batch === name),
        jobs,
      ),
    );
  }

  #patience() {
    const { untilMs, signal, ci } = this.#acceptance;
    return { untilMs, signal, pauseMs: ci.pauseMs };
  }

  async #start(name: string, jobs: Omit<StartedJobs, 'part'>): Promise<void> {
    const { ci, labels } = this.#acceptance;
    if (this.#batches.has(name)) return;
    this.#batches.set(name, jobs.jobs);
    try {
      await ci.start({ name, group: this.#name, labels, ...jobs });
    } catch (error) {
      // A request whose answer is lost may have started them.
      if (!(error instanceof TransientError)) this.#batches.delete(name);
      throw error;
    }
  }

  async #read(what: string, isSo: () => boolean, withinMs = Infinity): Promise<void> {
    const { ci } = this.#acceptance;
    const patience = this.#patience();
    const untilMs = Math.min(patience.untilMs, performance.now() + withinMs);
    const isMet = await poll({ ...patience, untilMs }, async () => {
      this.#seen.note(await ci.listAttempts([...this.#batches.keys()]));
      const words = this.#words();
      if (words !== this.#shown) this.say(words);
      this.#shown = words;
      return isSo();
    });
    if (!isMet) this.say(`the time is over, and it is not so that ${what}`);
  }

  /** `3 queued, 2 in_progress`. */
  #words(): string {
    const byStatus = Map.groupBy(this.#seen.attempts, ({ status }) => status);
    const counts = [...byStatus].map(([status, those]) => `${those.length} ${status.replace('_', ' ')}`);
    return counts.length === 0 ? 'no job yet' : counts.join(', ');
  }
}
