import * as z from 'zod';
import { problemTypeBase } from '../../runtime/http/problems.ts';
import { wordsOf } from '../words-of.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const Problem = z.looseObject({ type: z.literal(`${problemTypeBase}credential-refused`) });
const answerMs = 10_000;

/** Makes an agent's request at the public URL, without a credential: davit refuses it, and nothing else does so. */
export async function checkPublicUrl(publicUrl: string): Promise<Finding> {
  const about = `public URL ${publicUrl}`;
  try {
    const request = { method: 'POST', signal: AbortSignal.timeout(answerMs) };
    const response = await fetch(`${publicUrl}/agents/doctor/connect`, request);
    const text = await response.text();
    if (response.status === 401 && isRefusal(text)) return ok(about, 'davit answers agents there');
    const what = `something else answers there: ${response.status} ${text.slice(0, 100)}`;
    const fix = 'correct --public-url of davit local, or the publicUrl of the stack and its DNS record';
    return problem(about, what, 'Agents and webhooks go there: no agent can connect.', fix);
  } catch (error) {
    const what = `cannot be reached from this machine: ${wordsOf(error)}`;
    const why = 'Agents and webhooks go there. Pods may have another way than this machine.';
    return warning(about, what, why, 'davit doctor --deep PROFILE asks from a Pod');
  }
}

function isRefusal(text: string): boolean {
  try {
    return Problem.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
