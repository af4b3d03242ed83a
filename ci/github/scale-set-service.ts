import type { CiScope } from '../../core/ci/ci-scope.ts';
import { TransientError } from '../../core/errors/errors.ts';
import { jsonIn } from '../../core/json-in.ts';
import * as z from '../../core/zod.ts';
import { type CiAnswer, type CiConnection, type CiRequest, callCi, errorOf, parseAnswer } from '../ci-http.ts';
import { createRateMeter } from '../rate-meter.ts';

/** How davit reaches GitHub's service for scale sets. */
export interface ScaleSetAccess {
  /** The configured name, for error messages. */
  name: string;
  /** GitHub's URL as people open it. */
  url: string;
  apiUrl: string;
  scope: CiScope;
  /** Makes a token with which a runner, or a client of the service, introduces itself. */
  registrationToken: () => Promise<string>;
  timeoutMs: number;
  /** @default the time passes */
  sleep: (ms: number) => Promise<unknown>;
  nowEpochMs: () => number;
}

const Admin = z.object({ url: z.string().check(z.minLength(1)), token: z.string().check(z.minLength(1)) });
const Exception = z.object({ typeName: z.optional(z.string()), message: z.optional(z.string()) });

/** The token is used for this long less than it is valid, as the client does. */
const aheadMs = 60_000;

/** The pauses before GitHub is shown a new registration token again: another of its servers may not know the token yet. */
const introductionPausesMs = [500, 1000];

/** The statuses of refusals, whose body names an exception. */
const refusals = [400, 401, 403, 404, 409, 422];

/** An answer, or the name of the expected exception that it has in its place. */
export type Answered = { answer: CiAnswer; exception?: never } | { answer?: never; exception: string };

/**
 * Calls GitHub's service for runner scale sets, which has no published description. Each request is that of GitHub's own
 * client.
 *
 * @see https://github.com/actions/scaleset/blob/6ce025902cd964747a078c2aabe7340ebc667eca/client.go
 */
export class ScaleSetService {
  readonly #access: ScaleSetAccess;
  readonly #meter;
  #admin: (z.infer<typeof Admin> & { untilEpochMs: number }) | undefined;

  constructor(access: ScaleSetAccess) {
    this.#access = access;
    this.#meter = createRateMeter(access.nowEpochMs);
  }

  /** Calls the service as davit. @param path with its query */
  async call(request: CiRequest, exceptions: readonly string[] = []): Promise<Answered> {
    const { url } = await this.#introduced();
    return this.#ask(
      {
        ...this.connectionTo(url, async () => (await this.#introduced()).token),
        renew: async () => {
          this.#admin = undefined;
        },
      },
      { ...request, path: versioned(request.path) },
      exceptions,
    );
  }

  /** Calls the service as davit, and parses its answer. */
  async read<Answer>(request: CiRequest, schema: z.core.$ZodType<Answer>): Promise<Answer> {
    const { answer } = await this.call(request);
    return this.parse(request, schema, answer?.body);
  }

  /** Calls the service with a session's own token, which `renew` replaces. */
  async callAs(token: () => Promise<string>, renew: () => Promise<void>, request: CiRequest): Promise<CiAnswer> {
    const { url } = await this.#introduced();
    const connection = { ...this.connectionTo(url, token), renew };
    return callCi(connection, { ...request, path: versioned(request.path) });
  }

  /** @throws TransientError CiUnavailable for an answer of another shape */
  parse<Answer>(request: CiRequest, schema: z.core.$ZodType<Answer>, body: unknown): Answer {
    return parseAnswer(
      this.connectionTo('', async () => ''),
      request,
      schema,
      body,
    );
  }

  connectionTo(baseUrl: string, token: () => Promise<string>): CiConnection {
    const { name, timeoutMs } = this.#access;
    const headers = async () => ({ authorization: `Bearer ${await token()}` });
    return { name, baseUrl, headers, meter: this.#meter, timeoutMs, wordsOf: (_, text) => wordsOf(text) };
  }

  async #ask(connection: CiConnection, request: CiRequest, exceptions: readonly string[]): Promise<Answered> {
    // A credential that is not valid any more is replaced by `callCi`: after that, a 401 is a refusal as any other.
    const answer = await callCi(connection, { ...request, expect: exceptions.length === 0 ? [] : refusals });
    if (answer.status < 300) return { answer };
    const { typeName = '' } = z.safeParse(Exception, answer.body).data ?? {};
    const exception = exceptions.find((each) => typeName.includes(each));
    if (exception !== undefined) return { exception };
    throw errorOf(connection, request, answer);
  }

  async #introduced(): Promise<z.infer<typeof Admin>> {
    const now = this.#access.nowEpochMs();
    if (this.#admin !== undefined && now + aheadMs < this.#admin.untilEpochMs) return this.#admin;
    const { url, token } = await this.#introduce(await this.#access.registrationToken());
    this.#admin = { url: url.replace(/\/$/, ''), token, untilEpochMs: expiryOf(token) };
    return this.#admin;
  }

  async #introduce(registrationToken: string): Promise<z.infer<typeof Admin>> {
    const { name, url, apiUrl, scope, timeoutMs, sleep } = this.#access;
    const place = 'organization' in scope ? scope.organization : `${scope.repository.owner}/${scope.repository.name}`;
    const connection: CiConnection = {
      name,
      baseUrl: apiUrl,
      headers: async () => ({ authorization: `RemoteAuth ${registrationToken}` }),
      meter: this.#meter,
      timeoutMs,
    };
    const request: CiRequest = {
      method: 'POST',
      path: '/actions/runner-registration',
      body: { url: `${url}/${place}`, runner_event: 'register' },
    };
    for (const pauseMs of introductionPausesMs) {
      const answer = await callCi(connection, { ...request, expect: [401, 403] });
      if (answer.status < 300) return parseAnswer(connection, request, Admin, answer.body);
      await sleep(pauseMs);
    }
    return parseAnswer(connection, request, Admin, (await callCi(connection, request)).body);
  }
}

/** Reads when a JWT ends, which the answer does not say. @throws TransientError CiUnavailable for one that does not say so */
function expiryOf(token: string): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return z.object({ exp: z.number() }).parse(claims).exp * 1000;
  } catch (cause) {
    throw new TransientError('CiUnavailable', 'an answer of another shape: its token is no JWT', {}, { cause });
  }
}

function versioned(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}api-version=6.0-preview`;
}

function wordsOf(text: string): string | undefined {
  const { typeName, message } = z.safeParse(Exception, jsonIn(text)).data ?? {};
  return [typeName, message].filter((part) => part !== undefined).join(': ') || undefined;
}
