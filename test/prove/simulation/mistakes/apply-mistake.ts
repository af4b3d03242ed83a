import type { Mistake } from './mistakes.ts';

/** Puts a mistake into the text of its file. @throws Error when the file does not have the old text exactly once */
export function applyMistake(
  { name, file, old, new: changed }: Pick<Mistake, 'name' | 'file' | 'old' | 'new'>,
  text: string,
): string {
  const [before, after, ...more] = text.split(old);
  if (before === undefined || after === undefined || more.length > 0) {
    const times = text.split(old).length - 1;
    throw new Error(`mistake ${name}: ${file} has its old text ${times} times, not once: update mistakes.ts`);
  }
  return before + changed + after;
}
