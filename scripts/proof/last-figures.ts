import { keepRows, takenHead, takenNow } from '../kept-rows.ts';

/** The commands whose last figures docs/proof.md has, in its order. */
const commands = [
  'npm run simulate',
  'npm run prove -- mutants',
  'npm run prove -- mistakes',
  'npm run prove -- ci',
  'npm run prove -- ci --cluster',
] as const;

/** Writes what a command came to, given `--record`, into the table of docs/proof.md, with the day and the commit. */
export function recordFigures(command: (typeof commands)[number], figures: string): void {
  const head = ['proof', 'what it came to', ...takenHead];
  const order = commands.map((each) => `\`${each}\``);
  keepRows('proof.md', { command: '--record', head, order }, [[`\`${command}\``, figures, ...takenNow()]]);
}
