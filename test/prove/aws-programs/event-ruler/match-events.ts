import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { fetchLibraries } from '../java.ts';

/** An EventBridge pattern and an event to match. */
export interface Question {
  pattern: unknown;
  event: unknown;
}

const Answer = z.strictObject({ matches: z.boolean() });

/**
 * Asks Event Ruler, EventBridge's own matcher, which events match.
 *
 * @returns an answer to each question, in the same order
 * @throws Error with the ruler's message for an invalid pattern
 * @see https://github.com/aws/event-ruler
 */
export async function matchEvents(questions: readonly Question[]): Promise<boolean[]> {
  const libraries = await fetchLibraries('event-ruler');
  const args = ['-cp', join(libraries, '*'), join(import.meta.dirname, 'MatchEvents.java')];
  const child = spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const lines = (await text(child.stdout)).trimEnd().split('\n');
  if (lines.length !== questions.length) throw new Error(`${questions.length} questions have ${lines.length} answers`);
  return lines.map((line) => {
    const answer = Answer.safeParse(JSON.parse(line));
    if (!answer.success) throw new Error(`Event Ruler answers ${line}`);
    return answer.data.matches;
  });
}
