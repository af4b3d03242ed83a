import * as fc from 'fast-check';
import * as z from 'zod';
import { TransientError } from '../../../../core/errors/errors.ts';
import { jsonAnswer } from '../../../../runtime/http/answer.ts';
import { Problem } from '../../../../runtime/http/problem.ts';
import { problems } from '../../../../runtime/http/problems.ts';
import { checkInput, decodeText, parseJson } from '../../../../runtime/http/read-json.ts';
import { RecordingMetrics } from '../../../support/recording-metrics.ts';
import { RecordingLogger, send } from '../../../support/send-http.ts';

async function throwsWatched(error: unknown) {
  const logger = new RecordingLogger();
  const metrics = new RecordingMetrics();
  const logic = async () => {
    throw error;
  };
  return { logger, metrics, answer: await send(logic, {}, logger, metrics) };
}

async function throws(error: unknown) {
  return (await throwsWatched(error)).answer;
}

async function sendBytes(size: number) {
  return send(async ({ body }) => jsonAnswer(200, { length: body.length }), { body: Buffer.alloc(size) });
}

describe('httpHandler', () => {
  test('a base64 body reaches the logic as its bytes', async () => {
    const body = Buffer.from([0, 255, 128, 13]);

    const answer = await send(async (request) => jsonAnswer(200, { bytes: [...request.body] }), { body });

    expect(answer.body).toEqual({ bytes: [0, 255, 128, 13] });
  });

  test('a body of 1 MiB is read, and one byte more is answered with 413', async () => {
    expect(await sendBytes(1_048_576)).toMatchObject({ status: 200, body: { length: 1_048_576 } });
    expect(await sendBytes(1_048_577)).toMatchObject({
      status: 413,
      body: { type: 'https://davit.dev/problems/body-too-large', status: 413 },
    });
  });

  test.each(Object.keys(problems).filter((slug): slug is keyof typeof problems => slug in problems))(
    'the problem %s has the form of RFC 9457, and is not cached',
    async (slug) => {
      const answer = await throws(
        new Problem(slug, { detail: 'this time', extra: { launchId: 'api-x' }, headers: { 'retry-after': '1' } }),
      );

      expect(answer.status).toBe(problems[slug].status);
      expect(answer.headers).toEqual({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'retry-after': '1',
      });
      expect(answer.body).toEqual({
        type: `https://davit.dev/problems/${slug}`,
        title: problems[slug].title,
        status: problems[slug].status,
        detail: 'this time',
        launchId: 'api-x',
      });
    },
  );

  test('a service that does not answer is a 503 with Retry-After, and is logged', async () => {
    const error = new TransientError('StoreUnavailable', 'DynamoDB GetItem: throttled');

    const { logger, metrics, answer } = await throwsWatched(error);

    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      body: { type: 'https://davit.dev/problems/unavailable', code: 'StoreUnavailable', requestId: 'request-1' },
    });
    const keys = { requestId: 'request-1', functionRequestId: undefined, status: 503, error };
    expect(logger.lines).toEqual([{ level: 'warn', message: 'a service did not answer', keys }]);
    expect(metrics.points).toEqual([
      { name: 'Retries', value: 1, dimensions: { code: 'StoreUnavailable' } },
      { name: 'HttpAnswers', value: 1, dimensions: { function: 'launches', status: '503' } },
    ]);
  });

  test.each([
    { what: 'an error', error: new TypeError('secret words'), logged: expect.any(TypeError) },
    { what: 'a thrown value that is not an error', error: 'secret words', logged: expect.any(Error) },
  ])('$what is an unexpected 500 without its words, and is logged with them', async ({ error, logged }) => {
    const { logger, metrics, answer } = await throwsWatched(error);

    expect(answer).toMatchObject({ status: 500, body: { type: 'https://davit.dev/problems/unexpected' } });
    expect(JSON.stringify(answer)).not.toContain('secret words');
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'unexpected error', keys: { error: logged } }]);
    expect(logger.lines[0]?.keys.error?.message).toContain('secret words');
    expect(metrics.points).toEqual([
      { name: 'Defects', value: 1, dimensions: {} },
      { name: 'HttpAnswers', value: 1, dimensions: { function: 'launches', status: '500' } },
    ]);
  });

  test('the subject of an answer is logged and counted, and not sent', async () => {
    const logger = new RecordingLogger();
    const metrics = new RecordingMetrics();
    const subject = { launchId: 'github-1-2-1', duplicate: true };

    const answer = await send(async () => ({ ...jsonAnswer(200, { ok: true }), subject }), {}, logger, metrics);

    expect(answer.body).toEqual({ ok: true });
    expect(answer).not.toHaveProperty('about');
    const keys = { launchId: 'github-1-2-1', duplicate: true, requestId: 'request-1', status: 200 };
    expect(logger.lines).toMatchObject([{ level: 'info', message: 'launches answered', keys }]);
    expect(metrics.points).toEqual([
      { name: 'HttpAnswers', value: 1, dimensions: { function: 'launches', status: '200' } },
      { name: 'Duplicates', value: 1, dimensions: { function: 'launches' } },
    ]);
  });
});

test('an answer that refuses a job is counted by its reason', async () => {
  const metrics = new RecordingMetrics();
  const subject = { refusal: 'Size' } as const;

  await send(async () => ({ ...jsonAnswer(200, {}), subject }), {}, new RecordingLogger(), metrics);

  expect(metrics.points).toContainEqual({ name: 'JobsRefused', value: 1, dimensions: { refusal: 'Size' } });
});

describe('reading a body', () => {
  test('text is decoded without loss, including a byte order mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), (text, hasMark) => {
        const bytes = Buffer.from(hasMark ? `\uFEFF${text}` : text);

        expect(Buffer.from(decodeText(bytes))).toEqual(bytes);
      }),
    );
  });

  test('bytes that are not UTF-8 are refused rather than replaced', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (before, after) => {
        const bytes = Buffer.concat([before, Buffer.from([0xff]), after]);

        expect(() => decodeText(bytes)).toThrow('body-malformed: The body is not UTF-8.');
      }),
    );
  });

  test('the problem for broken JSON does not quote it', () => {
    const broken = '{"env": {"PASSWORD": "hunter2" "x"}}';

    expect(() => parseJson(broken)).toThrow('body-malformed: The body is not JSON (at character 31 of 36).');
    expect(() => parseJson('hunter2')).toThrow(/^body-malformed: The body is not JSON\.$/);
  });

  test('64 levels of lists and mappings are read, one more is refused', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

    expect(parseJson(nested(64))).toMatchObject([{ a: [{}] }]);
    expect(() => parseJson(`[${nested(64)}]`)).toThrow('body-malformed: The body is nested deeper than 64 levels.');
    expect(() => parseJson(nested(100_000))).toThrow('nested deeper');
  });

  test('reports every problem of a value, with the reason for a refused key', () => {
    const schema = z.strictObject({ env: z.record(z.string().regex(/^[A-Z]+$/, 'expected capitals'), z.string()) });

    const check = () => checkInput(schema, { env: { low: 'hunter2', UP: 5 }, more: 1 }, 'body');

    expect(check).toThrow('request-invalid: In the body: env.low: expected capitals (and 2 more)');
  });

  test("truncates a caller's long key", () => {
    const check = () => checkInput(z.strictObject({}), { ['x'.repeat(1_000_000)]: 1 }, 'body');

    expect(check).toThrow(/^request-invalid: In the body: Unrecognized key: "x{100,200}…$/);
  });
});
