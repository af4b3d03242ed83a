import { randomBytes } from 'node:crypto';
import { runOneJob } from '../github/run-job.ts';
import { connect } from './connect.ts';
import { startJobServer } from './job-server.ts';

/**
 * The reference agent, which runs in the Pod. It calls the connect endpoint first. Then it runs the steps that it
 * receives at the address from the connect answer. If davit registered it at the local GitHub, it also runs one job of
 * that GitHub, and ends. With `--never-connect` it does nothing: a broken agent for the demo.
 */
const env = process.env;
const jobPauseMs = 200;
const agentName = env['DAVIT_AGENT_NAME'] ?? 'unnamed';
// Only the CI server with which this agent registers learns the key.
const jobKey = randomBytes(32).toString('base64url');
function log(text: string) {
  return console.log(`${new Date().toISOString()} ${agentName}: ${text}`);
}

process.on('SIGTERM', () => {
  log('SIGTERM: the agent ends');
  process.exit(0);
});

if (process.argv.includes('--never-connect')) {
  log('idling: this agent never connects');
  setInterval(() => log('still idling'), 10_000);
} else {
  const [{ token, environment, pendingAnswers }] = await Promise.all([
    connect({ url: required('DAVIT_CONNECT_URL'), credential: required('DAVIT_CREDENTIAL'), log }),
    startJobServer({ host: required('POD_IP'), port: Number(required('AGENT_PORT')), jobKey, log }),
  ]);
  log(`connected after ${pendingAnswers} × 503; reached at ${token.host}:${token.port}`);
  if (env['CI_SERVER_URL'] !== undefined)
    await report(env['CI_SERVER_URL'], { agentName, token, pendingAnswers, jobKey });
  const jitConfig = environment['ACTIONS_RUNNER_INPUT_JITCONFIG'];
  if (jitConfig !== undefined) {
    const end = await runOneJob(jitConfig, jobPauseMs);
    log('refused' in end ? end.refused : `has run its job, which ${end.succeeded ? 'succeeded' : 'failed'}`);
    process.exit('succeeded' in end && end.succeeded ? 0 : 1);
  }
}

function required(name: string): string {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  log(`environment variable ${name} is missing: the agent ends`);
  process.exit(2);
}

/** Registers the agent with the CI server, as a real agent does. */
async function report(ciServerUrl: string, registration: object): Promise<void> {
  const answer = await fetch(`${ciServerUrl}/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(registration),
  });
  log(`registered with the CI server: ${answer.status}`);
}
