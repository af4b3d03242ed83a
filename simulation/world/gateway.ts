import { createHmac } from 'node:crypto';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { SeenJob } from '../../core/job/job-record.ts';
import { present } from '../../core/present.ts';
import type { NamedJob } from '../../ports/ci-system.ts';
import type { HttpAnswer } from '../../runtime/http/answer.ts';
import { Problem } from '../../runtime/http/problem.ts';
import { problems } from '../../runtime/http/problems.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { checkSignature } from '../../runtime/signing/check-signature.ts';
import type { Core } from './core.ts';
import type { Outcome, SimulatedLambda } from './lambda.ts';
import { signingSecrets } from './secrets.ts';

/** Receives an answer: its status, and its body, which is empty when the function failed. */
export type TakeAnswer = (statusCode: number, body: string) => void;

const unanswered = 503;

/** The CI system that pins each agent to its job. */
export const ciSystem = { name: 'github', provider: 'github' } as const;

/** API Gateway: its routes, each to its function. */
export class Gateway {
  readonly #core: Core;
  readonly #lambda: SimulatedLambda;
  /** Every credential that an agent has received. */
  readonly credentials = new Set<string>();

  constructor(core: Core, lambda: SimulatedLambda) {
    this.#core = core;
    this.#lambda = lambda;
  }

  connect(agentName: string, credential: string, take: TakeAnswer): void {
    const http = this.#request('POST', { agentName }, { authorization: `Bearer ${credential}` });
    const launchId = agentName.replaceAll(/^davit-|-r\d$/g, '');
    this.#lambda.invoke(
      'connect',
      launchId,
      (logic, deps) => logic.answerConnect(deps, http),
      (outcome) => answer(outcome, take),
    );
  }

  /** @param secret the sender's signing secret */
  webhook(event: SeenJob, secret: string, launchId: string, take: TakeAnswer): void {
    const text = JSON.stringify(event);
    const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
    this.#lambda.invoke(
      'webhook',
      launchId,
      async (logic, deps) => {
        await checkSignature(deps.secretsOf(signingSecrets.webhooks), text, signature);
        return (event.status === 'queued' ? logic.answerQueued : logic.answerCompleted)(deps, ciSystem, event);
      },
      (outcome) => answer(outcome, take),
    );
  }

  /** A webhook of a queue in which davit acts. */
  jobWebhook(system: CiSystemConfig, event: SeenJob, launchId: string, take: TakeAnswer): void {
    this.#lambda.invoke(
      'webhook',
      launchId,
      (logic, deps) => logic.answerRegisteredJob(deps, system, event),
      (outcome) => answer(outcome, take),
    );
  }

  /** A webhook that names a job: davit asks the CI system for it. */
  namedJob(system: CiSystemConfig, job: NamedJob, launchId: string): void {
    this.#lambda.invokeLater('poll-ci', launchId, (logic, deps) => logic.pollCi(deps, { ciSystem: system.name, job }));
  }

  deleteLaunch(launchId: string): void {
    const { history } = this.#core;
    history.add({ kind: 'sent', launchId, door: 'delete' });
    this.#launches(launchId, this.#request('DELETE', { launchId }, {}), (statusCode) => {
      history.add({ kind: 'asked', launchId, door: 'delete', statusCode });
    });
  }

  postLaunch(body: object, launchId: string, take: TakeAnswer): void {
    const http = { ...this.#request('POST', {}, {}), body: Buffer.from(JSON.stringify(body)) };
    this.#launches(launchId, http, take);
  }

  #request(method: string, parameters: Record<string, string>, headers: Record<string, string>): HttpRequest {
    return {
      method,
      parameters,
      headers,
      query: {},
      receivedAtEpochMs: this.#core.scheduler.nowEpochMs(),
      body: nothing,
    };
  }

  #launches(launchId: string, http: HttpRequest, take: TakeAnswer): void {
    this.#lambda.invoke(
      'launches',
      launchId,
      (logic, deps) => logic.answerLaunches(deps, http),
      (outcome) => answer(outcome, take),
    );
  }
}

const nothing = Buffer.alloc(0);

/** Like `httpHandler` and API Gateway: a Problem has its status and says its type, and any other failure is a 503. */
function answer(outcome: Outcome<HttpAnswer>, take: TakeAnswer): void {
  if ('output' in outcome) {
    take(outcome.output.statusCode, outcome.output.body);
  } else {
    const { thrown } = outcome;
    if (thrown instanceof Problem) take(problems[thrown.slug].status, JSON.stringify(problemIn(thrown)));
    else take(unanswered, '');
  }
}

/** The parts of a problem that agents read: its type, and the header with a new credential. */
function problemIn({ slug, details: { headers = {} } }: Problem): { type: string; credential?: string } {
  return present({ type: slug, credential: headers['davit-credential'] });
}
