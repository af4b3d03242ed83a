import assert from 'node:assert/strict';
import { httpEvent } from '../../support/http-event.ts';
import { checkAnswer, type RawAnswer } from './check-answer.ts';
import { eventOptionsOf, type FuzzRequest } from './fuzz-request.ts';
import { type House, makeHouse } from './house.ts';
import { assertNoSecret } from './secrets.ts';

/** An answer that was checked, the house that gave it, and what it took. */
export interface Visited {
  house: House;
  answer: RawAnswer;
  /** `202`, `401 signature-refused`. */
  words: string;
  /** How much it changed in the house. */
  changes: number;
}

/** Sends one request, and checks what holds of every answer. */
export type Visit = (functionName: keyof House['handlers'], request: FuzzRequest) => Promise<Visited>;

/**
 * Makes a visitor of a house, who moves to a new one as soon as anything in it is not as it was: what an input is
 * answered does not depend on the inputs before it.
 */
export async function makeVisitor(): Promise<Visit> {
  let house = await makeHouse();
  return async (functionName, request) => {
    if (house.changes() > 0) house = await makeHouse();
    return visitHouse(house, functionName, request);
  };
}

/**
 * Sends one request, and checks what holds of every answer: also that a refusal changed nothing and nothing was logged
 * as a defect.
 *
 * @throws AssertionError
 */
export async function visitHouse(
  house: House,
  functionName: keyof House['handlers'],
  request: FuzzRequest,
): Promise<Visited> {
  const before = house.changes();
  const {
    statusCode = 0,
    headers = {},
    body = '',
  } = await house.handlers[functionName](httpEvent(eventOptionsOf(request)));
  const answer = { status: statusCode, headers: strings(headers), body };
  checkLog(house);
  const words = checkAnswer(answer);
  const changes = house.changes() - before;
  assert.ok(answer.status < 400 || changes === 0, `refused with ${words}, and ${changes} things were changed`);
  return { house, answer, words, changes };
}

function checkLog({ logger }: House): void {
  for (const { level, message, keys } of logger.lines.splice(0)) {
    assert.equal(level, 'info', `logged as ${level}: ${message}: ${keys.error?.stack}`);
    assertNoSecret(`${message} ${JSON.stringify(keys)}`, 'the log');
  }
}

function strings(headers: Record<string, boolean | number | string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
