import { DavitError, TerminalError } from '../../core/errors/errors.ts';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';
import type { Acceptance } from './acceptance.ts';
import { judge } from './judge.ts';
import { nothingLeft } from './leftovers.ts';
import { noJobs, type Scenario, type ScenarioResult } from './scenario.ts';
import { ScenarioJobs } from './scenario-jobs.ts';

/**
 * Runs scenarios one after another in a new place, and removes it at the end, also after a failure and after
 * Ctrl-C. The last result is about what they leave behind.
 *
 * @throws the signal's reason when it is aborted, and what the CI system refuses before the first scenario; both after the
 *   removal
 */
export async function* runScenarios(
  acceptance: Acceptance,
  scenarios: readonly Scenario[],
): AsyncGenerator<ScenarioResult> {
  const { ci, say } = acceptance;
  let mayExist = true;
  try {
    await ci.open().catch((error: unknown) => {
      mayExist = !(error instanceof TerminalError);
      throw error;
    });
    for (const scenario of scenarios) yield await runScenario(acceptance, scenario);
    say('waiting until nothing is left');
    yield await nothingLeft(acceptance);
  } finally {
    if (mayExist) await attempt(acceptance, ci.leaves, () => ci.close());
  }
}

async function runScenario(acceptance: Acceptance, { name, does, run }: Scenario): Promise<ScenarioResult> {
  const startedMs = performance.now();
  const jobs = new ScenarioJobs(acceptance, name);
  const took = () => ({ tookMs: performance.now() - startedMs });
  acceptance.signal.throwIfAborted();
  if (startedMs >= acceptance.untilMs) return notRun({ name, does }, 'a longer --timeout');
  try {
    if (acceptance.ci.agentsOutliveJobs === true) await jobs.settle();
    const outcome = await run(jobs);
    return { name, does, ...judge(await jobs.finish(), outcome), ...took() };
  } catch (error) {
    acceptance.signal.throwIfAborted();
    acceptance.say(`${name}: ${wordsOf(error)}`);
    return { ...notRun({ name, does }, ''), verdict: 'not-held', why: [codeOf(error)], ...took() };
  } finally {
    await attempt(acceptance, `${name}: its jobs may go on: cancel them`, () => jobs.abandon());
  }
}

function notRun(named: Pick<ScenarioResult, 'name' | 'does'>, needs: string): ScenarioResult {
  return { ...named, ...noJobs, verdict: 'not-run', why: [needs], tookMs: 0 };
}

/** Says only the code: the error's words have URLs and names. @throws the error itself if it is a defect of davit's */
function codeOf(error: unknown): string {
  if (error instanceof DavitError || error instanceof CliError) return `an error ended it: ${error.code}`;
  throw error;
}

/** A removal that fails hides no other error, and is reported beside it. */
async function attempt({ onLeft }: Acceptance, otherwise: string, remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    onLeft(`${otherwise}: ${wordsOf(error)}`);
  }
}
