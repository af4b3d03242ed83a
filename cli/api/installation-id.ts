import { join } from 'node:path';
import { installationIdFile, keptInstallationId } from '../../local/runtime/installation-id.ts';
import { makePrivateDirectory } from '../../local/runtime/private-directory.ts';
import { KeptElsewhere, type SecretPlaces } from './secret-source.ts';
import { installationIdOfStack } from './stack.ts';

/**
 * Makes the reader of the installation id of the davit that a command is for, 8 of 0-9 and a-f. A local davit that has
 * not started yet gets its id now, and keeps it.
 *
 * @returns a function that throws KeptElsewhere for a davit that is named by its URL only; otherwise as
 *   `installationIdOfStack` and `keptInstallationId`
 */
export function installationIdReader(places: Omit<SecretPlaces, 'files'>): () => Promise<string> {
  let reading: Promise<string> | undefined;
  return () => (reading ??= readInstallationId(places));
}

async function readInstallationId({ target, isLocal, state, region }: Omit<SecretPlaces, 'files'>): Promise<string> {
  if (target.kind === 'stack') return installationIdOfStack(target.stack, region);
  if (target.kind === 'url' && !isLocal) {
    throw new KeptElsewhere("davit's installation id is not here; --state DIR or --stack NAME names where it is");
  }
  await makePrivateDirectory(state);
  return keptInstallationId(join(state, installationIdFile));
}
