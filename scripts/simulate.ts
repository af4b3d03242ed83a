/** Runs davit in simulated worlds, and says what broke: `npm run simulate -- --seeds N [--seed S]`. */
import { writeFile } from 'node:fs/promises';
import { brokenLine, findingReport, tables, trace } from '../test/simulation/report.ts';
import { runSeed, type Scenario } from '../test/simulation/run-seed.ts';
import { runsToItsEnd } from '../test/simulation/run-seeds.ts';
import { shrink } from '../test/simulation/shrink.ts';
import type { Broken, Tally } from '../test/simulation/tally.ts';
import { readSimulateArguments, type SimulateArguments, simulateHelp } from './simulate/arguments.ts';
import { runInThreads } from './simulate/run-in-threads.ts';

const mostFindings = 3;

/** Runs what is asked for. @returns whether nothing broke */
async function simulate(options: SimulateArguments): Promise<boolean> {
  const { fromSeed, seeds, workers, plan, jobs } = options;
  const scenario: Scenario = { ...(plan && { plan }), ...(jobs && { jobs }) };
  if (options.trace) print(trace(await runSeed(fromSeed, scenario)).join('\n'));

  const startedMs = performance.now();
  const rate = (tally: Tally) => Math.round(tally.launches / ((performance.now() - startedMs) / 1000));
  const told = new Set<Broken>();
  const tally = await runInThreads({ fromSeed, seeds }, workers, scenario, (so) => {
    for (const broken of so.broken.filter((each) => !told.has(each))) {
      told.add(broken);
      process.stderr.write(`\n${brokenLine(broken)}\n`);
    }
    process.stderr.write(
      `\r${so.runs} runs, ${so.launches} launches, ${so.broken.length} broken, ${rate(so)} a second `,
    );
  });
  process.stderr.write('\n');
  print(tables(tally));
  if (options.proof) await writeProof(options, tally);
  for (const broken of tally.broken.slice(0, mostFindings)) await report(broken, scenario);
  return tally.broken.length === 0;
}

/** Prints a finding in the smallest form that it is found in. */
async function report({ seed, violations }: Broken, scenario: Scenario): Promise<void> {
  const [first] = violations;
  if (first === undefined || first.invariant === runsToItsEnd) return;
  const shrunk = await shrink(await runSeed(seed, scenario), first.invariant, scenario);
  print(findingReport(shrunk, [`seed ${seed}`, ...violations.map(({ invariant, says }) => `${invariant}: ${says}`)]));
}

async function writeProof({ fromSeed, seeds }: SimulateArguments, tally: Tally): Promise<void> {
  const text = [
    '# Proof by simulation',
    '',
    '<!-- Written by `npm run simulate -- --proof`: run it again rather than change it here. -->',
    '',
    'Davit’s own logic and its state machine, `statemachine/launch.asl.json`, run in simulated worlds: Kubernetes,',
    'DynamoDB, Step Functions, Lambda, EventBridge, CI servers, agents and people, in one thread, on one virtual clock,',
    'with one seed for every choice. Each run is judged by its whole history. That the judgement can fail is shown by',
    '`test/simulation/mutants.test.ts`: davits with one thing wrong, each of which is caught. What holds in every order of',
    'the protocol’s steps, and not only in those that seeds came upon, is in `docs/model.md`.',
    '',
    'It has found, among other things, that a create which takes effect late could bring up a second Pod whose agent was',
    'told the first one’s address (seed 105207; ADR 10 says how that is ruled out, and what is not), and that a function',
    'which had stood still took a slow image pull for one that lasts (seed 307240: it looks again now, before it fails a',
    'launch). Both are among the mutants, by seeds that bring them to light sooner.',
    '',
    `    npm run simulate -- --seed ${fromSeed} --seeds ${seeds}`,
    '',
    tables(tally),
    '',
  ];
  await writeFile(new URL('../docs/proof.md', import.meta.url), text.join('\n'));
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

const options = readSimulateArguments(process.argv.slice(2));
if (options === 'help') print(simulateHelp);
else if (!(await simulate(options))) process.exitCode = 1;
