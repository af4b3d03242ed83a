import { runOneJob } from '../../../../local/github/run-job.ts';

/** The part of the reference agent that is GitHub's runner: it runs one job, and ends. */
await runOneJob(process.env['ACTIONS_RUNNER_INPUT_JITCONFIG'] ?? '', 200);
