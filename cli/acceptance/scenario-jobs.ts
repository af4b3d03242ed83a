import { TransientError } from '../../core/errors/errors.ts';
import { liveStatuses } from '../../core/launch/launch-record.ts';
import { verifyJobs } from '../../verify/jobs/verify-jobs.ts';
import type { Acceptance } from './acceptance.ts';
import type { SeenAttempt } from './acceptance-ci.ts';
import { SeenJobs } from './history.ts';
import { poll } from './poll.ts';
import type { Evidence, ScenarioRun } from './scenario.ts';
import { areOver } from './scenarios/are-over.ts';
import { workflowText } from './workflow.ts';

/** How long a commit's run may take to appear, in milliseconds. */
const cancelMs = 30_000;

/** The jobs of one scenario: it starts them, reads them, and cancels those that go on. */
export class ScenarioJobs implements ScenarioRun {
  readonly burst: number;
  readonly launches: ScenarioRun['launches'];
  readonly deletePod: ScenarioRun['deletePod'];
  readonly #acceptance: Acceptance;
  readonly #name: string;
  readonly #seen = new SeenJobs();
  /** The files that are committed, and how many jobs each has. */
  readonly #files = new Map<string, number>();
  #shown = '';

  constructor(acceptance: Acceptance, name: string) {
    this.#acceptance = acceptance;
    this.#name = name;
    this.burst = acceptance.burst;
    this.launches = acceptance.launches;
    this.deletePod = acceptance.deletePod;
  }

  async start(jobs: { jobs: number; seconds: number }): Promise<void> {
    await this.#commit(this.#file, jobs);
  }

  async until(what: string, isSo: (attempts: readonly SeenAttempt[]) => boolean): Promise<readonly SeenAttempt[]> {
    await this.#read(what, () => isSo(this.#own));
    return this.#own;
  }

  async cancel(): Promise<void> {
    const { ci } = this.#acceptance;
    if (ci.cancel !== undefined) await ci.cancel(this.#file);
    else await this.#commit(this.#nextFile, { jobs: 1, seconds: 1 });
  }

  async rerun(runId: number): Promise<void> {
    await this.#acceptance.ci.rerun(runId);
  }

  async poll(isSo: () => Promise<boolean>, pauseMs = this.#acceptance.ci.pauseMs): Promise<boolean> {
    return poll({ ...this.#patience(), pauseMs }, isSo);
  }

  async settle(): Promise<void> {
    this.#acceptance.say(`${this.#name}: waiting until no agent is left`);
    await this.poll(async () => (await this.launches()).every(({ status }) => !liveStatuses.includes(status)));
  }

  /** Waits for the end of every job, and until davit has learned of it. @returns what was seen, in any case */
  async finish(): Promise<Evidence> {
    if (this.#files.size === 0) return { attempts: [], histories: { ci: [], davit: [] } };
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
   * gone: so this waits for the run that it cancels, or for the one that cancels it.
   */
  async abandon(): Promise<void> {
    if (this.#files.size === 0 || this.#areOver()) return;
    const hasCall = this.#acceptance.ci.cancel !== undefined;
    const isThere = hasCall ? await this.#appears(this.#file) : true;
    await this.cancel();
    if (isThere && (hasCall || (await this.#appears(this.#nextFile)))) return;
    this.#acceptance.onLeft(`${this.#name}: its jobs may go on: cancel them`);
  }

  /** Waits for a workflow's run, also after Ctrl-C. @returns false when the time is over */
  async #appears(file: string): Promise<boolean> {
    const { ci } = this.#acceptance;
    const { signal } = new AbortController();
    const patience = { untilMs: performance.now() + cancelMs, pauseMs: ci.pauseMs, signal };
    return poll(patience, async () => (await ci.listAttempts([file])).length > 0);
  }

  get #file(): string {
    return `${this.#name}.yaml`;
  }

  /** The workflow whose run cancels the others. */
  get #nextFile(): string {
    return `next-${this.#file}`;
  }

  get #own(): SeenAttempt[] {
    return this.#seen.attempts.filter(({ file }) => file === this.#file);
  }

  #areOver(): boolean {
    const { attempts } = this.#seen;
    return [...this.#files].every(([name, jobs]) =>
      areOver(
        attempts.filter(({ file }) => file === name),
        jobs,
      ),
    );
  }

  #patience() {
    const { untilMs, signal, ci } = this.#acceptance;
    return { untilMs, signal, pauseMs: ci.pauseMs };
  }

  async #commit(file: string, { jobs, seconds }: { jobs: number; seconds: number }): Promise<void> {
    const { ci, branch, labels } = this.#acceptance;
    if (this.#files.has(file)) return;
    this.#files.set(file, jobs);
    const workflow = { file, folder: ci.folder, branch, group: this.#name, labels, jobs, seconds };
    try {
      await ci.commitWorkflow(file, workflowText(workflow));
    } catch (error) {
      // A commit whose answer is lost may be there.
      if (!(error instanceof TransientError)) this.#files.delete(file);
      throw error;
    }
  }

  async #read(what: string, isSo: () => boolean): Promise<void> {
    const { ci, say } = this.#acceptance;
    const isMet = await poll(this.#patience(), async () => {
      this.#seen.note(await ci.listAttempts([...this.#files.keys()]));
      const words = this.#words();
      if (words !== this.#shown) say(`${this.#name}: ${words}`);
      this.#shown = words;
      return isSo();
    });
    if (!isMet) say(`${this.#name}: the time is over, and it is not so that ${what}`);
  }

  /** `3 queued, 2 in_progress`. */
  #words(): string {
    const byStatus = Map.groupBy(this.#seen.attempts, ({ status }) => status);
    const counts = [...byStatus].map(([status, those]) => `${those.length} ${status.replace('_', ' ')}`);
    return counts.length === 0 ? 'no job yet' : counts.join(', ');
  }
}
