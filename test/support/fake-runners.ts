import type { CiRunner, CiScope } from '../../core/ci/ci-scope.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import type { CiSystem, CiUsage, NewRunner, Registration, RunnerRemoval } from '../../ports/ci-system.ts';

/** The calls that registration makes. */
type Call = 'register' | 'removeIfIdle' | 'runnersNamed' | 'mayHaveHadJob';

/** A CI system's runners, in memory. A test can act while a call is under way. */
export class FakeRunners implements Pick<CiSystem, Call | 'usage' | 'idsAreNames'> {
  readonly runners: (NewRunner & CiRunner)[] = [];
  /** Runners that run a job. */
  readonly busy = new Set<number>();
  /** Runners that have had a job, and stay. */
  readonly used = new Set<number>();
  /** The scopes of the calls so far. */
  readonly scopes: CiScope[] = [];
  /** Until then it accepts no requests. */
  pausedUntilEpochMs: number | undefined;
  /** Whether two runners may share a name, as in Gitea. */
  sharesNames = false;
  /** Whether a name has one id for ever, as in Jenkins. */
  idsAreNames?: true;
  /** While set, every call throws it. */
  failure: TransientError | TerminalError | undefined;
  readonly #before = new Map<Call, () => Promise<unknown>>();
  readonly #after = new Map<Call, () => Promise<unknown>>();
  #lastId = 0;

  /** Runs a function just before the next call of this kind takes effect. */
  before(call: Call, act: () => Promise<unknown>): void {
    this.#before.set(call, act);
  }

  /** Runs a function just after the next call of this kind takes effect, before its answer arrives. */
  after(call: Call, act: () => Promise<unknown>): void {
    this.#after.set(call, act);
  }

  usage(): CiUsage {
    return { requests: 0, ...present({ pausedUntilEpochMs: this.pausedUntilEpochMs }) };
  }

  async register(scope: CiScope, runner: NewRunner): Promise<Registration> {
    return this.#call('register', scope, () => {
      if (!this.sharesNames && this.runners.some(({ name }) => name === runner.name)) {
        throw new TransientError('WriteConflict', `github: a runner ${runner.name} exists`);
      }
      this.#lastId = this.idsAreNames ? 1 : this.#lastId + 1;
      const id = this.#lastId;
      this.runners.push({ ...runner, id });
      return { runner: { id, name: runner.name }, environment: { JOIN_WITH: `secret of ${id}` } };
    });
  }

  async removeIfIdle(scope: CiScope, runnerId: number): Promise<RunnerRemoval> {
    return this.#call('removeIfIdle', scope, () => {
      if (this.busy.has(runnerId)) return 'busy';
      const index = this.runners.findIndex(({ id }) => id === runnerId);
      if (index === -1) return 'gone';
      this.runners.splice(index, 1);
      return 'removed';
    });
  }

  async mayHaveHadJob(scope: CiScope, runnerId: number): Promise<boolean> {
    return this.#call('mayHaveHadJob', scope, () => this.used.has(runnerId));
  }

  async runnersNamed(scope: CiScope, wanted: string): Promise<CiRunner[]> {
    return this.#call('runnersNamed', scope, () =>
      this.runners.filter(({ name }) => name === wanted).map(({ id, name }) => ({ id, name })),
    );
  }

  async #call<Answer>(call: Call, scope: CiScope, effect: () => Answer): Promise<Answer> {
    await this.#once(this.#before, call);
    this.scopes.push(scope);
    if (this.failure !== undefined) throw this.failure;
    const answer = effect();
    await this.#once(this.#after, call);
    return answer;
  }

  async #once(acts: Map<Call, () => Promise<unknown>>, call: Call): Promise<void> {
    const act = acts.get(call);
    acts.delete(call);
    await act?.();
  }
}
