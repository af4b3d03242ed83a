import { connect } from './connect.ts';
import { startJobServer } from './job-server.ts';

/**
 * The reference agent: what runs in the Pod. It asks the connect endpoint from its first moment on, before anything
 * else, and then runs the steps that it is sent at the address that it was told. Started with `--never-connect`, it
 * only idles: a broken agent, for the demo.
 */
const env = process.env;
const agentName = env['DAVIT_AGENT_NAME'] ?? 'unnamed';
const log = (text: string) => console.log(`${new Date().toISOString()} ${agentName}: ${text}`);

process.on('SIGTERM', () => {
  log('SIGTERM: the agent ends');
  process.exit(0);
});

if (process.argv.includes('--never-connect')) {
  log('idling: this agent never connects');
  setInterval(() => log('still idling'), 10_000);
} else {
  const [{ token, pendingAnswers }] = await Promise.all([
    connect({ url: required('DAVIT_CONNECT_URL'), credential: required('DAVIT_CREDENTIAL'), log }),
    startJobServer({ host: required('POD_IP'), port: Number(required('AGENT_PORT')), log }),
  ]);
  log(`connected after ${pendingAnswers} × 503; reached at ${token.host}:${token.port}`);
  if (env['CI_SERVER_URL'] !== undefined) await report(env['CI_SERVER_URL'], { agentName, token, pendingAnswers });
}

function required(name: string): string {
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  log(`environment variable ${name} is missing: the agent ends`);
  process.exit(2);
}

/** Tells the CI server that the agent is there, as a real one registers with its server. */
async function report(ciServerUrl: string, registration: object): Promise<void> {
  const answer = await fetch(`${ciServerUrl}/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(registration),
  });
  log(`registered with the CI server: ${answer.status}`);
}
