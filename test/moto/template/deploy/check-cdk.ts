/**
 * A stand-in for `cdk` in the commands of docs/deploy.md. It accepts the real commands, and the context that the app
 * reads.
 */
import { parseArgs } from 'node:util';
import { appContext } from '../../../../cdk/app-context.ts';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { context: { type: 'string', short: 'c', multiple: true } },
  allowPositionals: true,
});
const [command, ...others] = positionals;
if (!['bootstrap', 'deploy', 'destroy', 'diff'].includes(command ?? '') || others.length > 0) {
  throw new Error(`cdk: unknown command: ${positionals.join(' ')}`);
}
const given = new Map((values.context ?? []).map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]));
const unread = new Set(given.keys());
appContext((key) => {
  unread.delete(key);
  return given.get(key);
});
if (unread.size > 0) throw new Error(`cdk: the app reads no ${[...unread].join(', ')}`);
