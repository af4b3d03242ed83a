import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { CompletedToken } from '../../core/launch/completed-token.ts';
import { JobMessage, type JobStep } from '../agent/job-server.ts';
import { startLoopbackServer } from '../loopback-server.ts';
import { readRequestBody } from '../request-body.ts';
import { dial } from './dial.ts';

/** An agent's registration with the CI server, after it connects. */
export const Registration = z.object({
  agentName: z.string(),
  token: CompletedToken,
  pendingAnswers: z.int().nonnegative(),
  /** The key that the agent's steps must carry. */
  jobKey: z.string().min(1),
});
export type Registration = z.infer<typeof Registration>;

/** How a job step ended. */
export interface StepResult {
  exitCode: number;
  output: string;
}

/** A CI server that dials its agents. They register with it first. */
export interface CiServer {
  /** The value of CI_SERVER_URL for the agents' images. */
  readonly url: string;
  /** Waits for an agent to register. @throws Error if the signal aborts first */
  registrationOf(agentName: string, signal: AbortSignal): Promise<Registration>;
  /**
   * Dials the advertised address and runs a step there.
   *
   * @throws Error if the agent has not registered, does not answer, or hangs up
   */
  run(token: CompletedToken, step: Pick<JobStep, 'run'>): Promise<StepResult>;
  stop(): Promise<void>;
}

const maxRegistrationBytes = 64 * 1024;
const mostDialMs = 10_000;

/** The settings of the CI server. */
export interface CiServerOptions {
  /** The address at which agents reach it, on a free port. @default the loopback address */
  listen?: string;
  /**
   * How long the server tries to reach an agent, and how long it waits for the next message, in milliseconds.
   *
   * @default 10_000
   */
  dialForMs?: number;
  /**
   * Decides on an agent before the server answers its registration. An error refuses the agent. @default accepts every
   * agent
   */
  accept?: (registration: Registration) => Promise<void>;
}

/** Starts the CI server. */
export async function startCiServer(options: CiServerOptions = {}): Promise<CiServer> {
  const { listen, dialForMs = mostDialMs, accept } = options;
  const waiting = new Map<string, PromiseWithResolvers<Registration>>();
  const jobKeys = new Map<string, string>();
  const of = (agentName: string) => {
    const known = waiting.get(agentName) ?? Promise.withResolvers<Registration>();
    waiting.set(agentName, known);
    // No caller may wait for a refused agent.
    known.promise.catch(() => {});
    return known;
  };

  const register = async (request: IncomingMessage): Promise<number> => {
    const body = await readRequestBody(request, maxRegistrationBytes);
    const registration = Registration.parse(JSON.parse(body.toString()));
    const { agentName, jobKey } = registration;
    jobKeys.set(agentName, jobKey);
    try {
      await accept?.(registration);
    } catch (error) {
      of(agentName).reject(error);
      throw error;
    }
    of(agentName).resolve(registration);
    return 204;
  };
  const server = await startLoopbackServer(
    (request, response) => {
      void register(request)
        .catch(() => 400)
        .then((status) => response.writeHead(status).end());
    },
    listen === undefined ? {} : { host: listen },
  );

  return {
    url: server.url,
    registrationOf: (agentName, signal) =>
      new Promise((resolve, reject) => {
        const giveUp = () => reject(new Error(`agent ${agentName} has not registered with the CI server`));
        if (signal.aborted) giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        of(agentName).promise.then(resolve, reject);
      }),
    run: async (token, { run }) => {
      const jobKey = jobKeys.get(token.agentName);
      if (jobKey === undefined) throw new Error(`agent ${token.agentName} has not registered with the CI server`);
      return await runStep(token, { jobKey, run }, dialForMs);
    },
    stop: () => server.stop(),
  };
}

async function runStep({ host, port }: CompletedToken, step: JobStep, dialForMs: number): Promise<StepResult> {
  const socket = await dial({ host, port }, dialForMs);
  try {
    socket.write(`${JSON.stringify(step)}\n`);
    let output = '';
    for await (const line of createInterface({ input: socket })) {
      const message = JobMessage.parse(JSON.parse(line));
      if ('exitCode' in message) return { exitCode: message.exitCode, output };
      output += message.output;
    }
  } finally {
    socket.destroy();
  }
  throw new Error(`${host}:${port} hung up in the middle of a step`);
}
