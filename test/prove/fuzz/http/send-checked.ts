import assert from 'node:assert/strict';
import { httpEvent } from '../../../support/http-event.ts';
import { checkAnswer, type RawAnswer } from './check-answer.ts';
import { eventOptionsOf, type FuzzRequest } from './fuzz-request.ts';
import { type FuzzedDavit, makeFuzzedDavit } from './fuzzed-davit.ts';
import { assertNoSecret } from './secrets.ts';

/** A checked answer, the davit that gave it, and the number of its changes. */
export interface CheckedAnswer {
  davit: FuzzedDavit;
  answer: RawAnswer;
  /** `202`, `401 signature-refused`. */
  words: string;
  changes: number;
}

/** Sends one request, and checks the invariants of all answers. */
export type CheckedSender = (
  functionName: keyof FuzzedDavit['handlers'],
  request: FuzzRequest,
) => Promise<CheckedAnswer>;

/**
 * Makes a function that sends requests to a davit, and replaces the davit after each change. An answer therefore never
 * depends on earlier inputs.
 */
export async function makeCheckedSender(): Promise<CheckedSender> {
  let davit = await makeFuzzedDavit();
  return async (functionName, request) => {
    if (davit.changes() > 0) davit = await makeFuzzedDavit();
    return sendChecked(davit, functionName, request);
  };
}

/**
 * Sends one request, and checks the invariants of all answers. A refusal must also change nothing and log no defect.
 *
 * @throws AssertionError
 */
export async function sendChecked(
  davit: FuzzedDavit,
  functionName: keyof FuzzedDavit['handlers'],
  request: FuzzRequest,
): Promise<CheckedAnswer> {
  const before = davit.changes();
  const {
    statusCode = 0,
    headers = {},
    body = '',
  } = await davit.handlers[functionName](httpEvent(eventOptionsOf(request)));
  const answer = { status: statusCode, headers: strings(headers), body };
  checkLog(davit);
  const words = checkAnswer(answer);
  const changes = davit.changes() - before;
  assert.ok(answer.status < 400 || changes === 0, `refused with ${words}, but ${changes} things changed`);
  return { davit, answer, words, changes };
}

function checkLog({ logger }: FuzzedDavit): void {
  for (const { level, message, keys } of logger.lines.splice(0)) {
    assert.equal(level, 'info', `logged as ${level}: ${message}: ${keys.error?.stack}`);
    assertNoSecret(`${message} ${JSON.stringify(keys)}`, 'the log');
  }
}

function strings(headers: Record<string, boolean | number | string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
