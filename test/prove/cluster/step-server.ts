import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../../../local/loopback-server.ts';

/** Hands steps to the runners of test Pods. */
export interface StepServer extends AsyncDisposable {
  url: string;
  /** Runs a script in a job of an agent. @returns its output, with its errors */
  run(agentName: string, script: string): Promise<string>;
}

/** A runner for Pods: it asks for a step, runs it in a shell of its own, and reports the output. It needs curl. */
export const stepRunner = `#!/bin/sh
while :; do
  curl --silent --fail --max-time 60 "$STEPS_URL/$DAVIT_AGENT_NAME" >/tmp/step || { sleep 0.2; continue; }
  sh /tmp/step 2>&1 | curl --silent --data-binary @- "$STEPS_URL/$DAVIT_AGENT_NAME"
done
`;

interface Step {
  script: string;
  done: PromiseWithResolvers<string>;
  isGiven: boolean;
}

/** @param host an address of this machine that Pods reach */
export async function startStepServer(host: string): Promise<StepServer> {
  const steps = new Map<string, Step>();
  const server = await startLoopbackServer((request, response) => void answer(request, response), { host });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const step = steps.get(path);
    if (request.method === 'POST') {
      steps.delete(path);
      step?.done.resolve(await text(request));
      response.end();
    } else if (step === undefined || step.isGiven) {
      response.writeHead(404).end();
    } else {
      step.isGiven = true;
      response.end(step.script);
    }
  }

  return {
    url: server.url,
    run: (agentName, script) => {
      const done = Promise.withResolvers<string>();
      steps.set(`/${agentName}`, { script, done, isGiven: false });
      return done.promise;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
