import { readFile } from 'node:fs/promises';
import { connectInboundAgent } from './inbound-agent.ts';

const { JENKINS_URL: url = '', JENKINS_AGENT_NAME: name = '', JENKINS_SECRET: given = '' } = process.env;
if (!given.startsWith('@')) throw new Error('JENKINS_SECRET is not the name of a file');
const secret = (await readFile(given.slice(1), 'utf8')).trim();

/** What the program `jenkins-agent` is: an agent that connects with its variables, until it is stopped. */
const agent = await connectInboundAgent({ url, name, secret, reconnects: true });
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void agent[Symbol.asyncDispose]());
console.log(await agent.ended);
