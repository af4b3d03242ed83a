import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageFileTypes } from '../../../cli/console/page-files.ts';
import { securityHeaders } from '../../../cli/console/security-headers.ts';
import { startProgram } from '../../e2e/davit-process.ts';
import { getLocalhost } from '../../support/get-localhost.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';

/**
 * Runs an installed davit and its console, and opens the console as a browser does: the link, the page and the files
 * that it loads.
 *
 * @param folder the folder of the installed package, with a davit.yaml
 * @param pageFolder the page's files as packed
 * @throws Error that names the wrong answer
 */
export async function useConsole(folder: string, pageFolder: string): Promise<void> {
  const davit = join(folder, 'node_modules', '@davit-ci', 'davit', 'cli', 'davit.js');
  await using receiver = await startOtlpReceiver();
  const otlp = receiver.url.replace('/v1/metrics', '');
  await using local = startProgram(davit, ['local', '--listen', '127.0.0.1:0', '--otlp', otlp], {}, folder);
  await local.detail(/^ {2}logs /);
  {
    await using console = startProgram(davit, ['console'], {}, folder);
    const [, link = ''] = await console.detail(/^Open (\S+)$/);
    await open(link, pageFolder);
    await console.kill('SIGTERM');
  }

  const { exitCode, stderr } = await local.kill('SIGTERM');
  if (exitCode !== 0) throw new Error(`davit local ended with ${exitCode}: ${stderr.join('\n')}`);
  if (receiver.points('davit.launches_in_flight').length === 0) throw new Error('davit local --otlp sent no metrics');
}

async function open(link: string, pageFolder: string): Promise<void> {
  const opened = await getLocalhost(new URL(link));
  const cookie = opened.answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const get = async (path: string) => {
    const { answer, body } = await getLocalhost(new URL(path, link), { cookie });
    const policy = answer.headers['content-security-policy'];
    if (answer.statusCode !== 200) throw new Error(`the console answered ${path} with ${answer.statusCode}`);
    if (policy !== securityHeaders['content-security-policy'])
      throw new Error(`${path} has the policy ${String(policy)}`);
    return { body, type: answer.headers['content-type'] };
  };

  const page = (await get('/')).body.toString();
  const loaded = Array.from(page.matchAll(/(?:src|href)="\/([^"]+)"/g), ([, name = '']) => name);
  for (const [name, type] of Object.entries(pageFileTypes)) {
    const isPage = name === 'index.html';
    if (!isPage && !loaded.includes(name)) throw new Error(`the page does not load ${name}`);
    const { body, type: served } = await get(isPage ? '/' : `/${name}`);
    const isSame = body.equals(await readFile(join(pageFolder, name)));
    if (!isSame) throw new Error(`${name} differs from the package's file: ${body.length} bytes`);
    if (served !== type) throw new Error(`${name} is not served as ${type}`);
  }
  await get('/api/launches');
}
