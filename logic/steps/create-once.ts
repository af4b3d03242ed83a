import {
  type ErrorSubject,
  PendingError,
  RelaunchError,
  TerminalError,
  TransientError,
} from '../../core/errors/errors.ts';
import { isPresentAgent } from '../../core/launch/launch-record.ts';
import { labelKeys } from '../../core/launch/names.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import type { ObjectPort } from '../../ports/cluster.ts';
import type { Launches } from '../../ports/launches.ts';

interface Created {
  metadata: {
    uid: string;
    labels?: Record<string, string> | undefined;
    deletionTimestamp?: string | undefined;
    ownerReferences?: { uid: string }[] | undefined;
  };
}

/** An object of a launch, and whether this attempt made it. */
interface OnceCreated<View> {
  object: View;
  isNew: boolean;
}

/**
 * Creates an object of a launch, or adopts it when an earlier attempt made it. Deletes it again if the launch was ended or
 * relaunched in the meantime.
 *
 * Reads the launch's record after the object exists. Every ending marks the record first and deletes the objects then, so
 * one side always sees the other: either this read finds the mark, or the deletion finds the object.
 *
 * @param readDisruption says whether infrastructure took an object of an earlier attempt that is being deleted
 * @throws TerminalError NameCollision when another owner has the name, LaunchOver when the launch was ended or goes on with
 *   another agent; RelaunchError when ours is being deleted: as `readDisruption` returns, or DeletedExternally
 */
export async function createOnce<View extends Created>(
  objects: ObjectPort<View>,
  launches: Pick<Launches, 'get'>,
  launchId: string,
  manifest: Manifest,
  subject: ErrorSubject,
  readDisruption: (object: View) => RelaunchError | undefined = () => undefined,
): Promise<OnceCreated<View>> {
  const { name, namespace } = manifest.metadata;
  const created = await createOrAdopt(objects, launchId, manifest, subject);
  const { uid, deletionTimestamp } = created.object.metadata;
  if (deletionTimestamp !== undefined) {
    const detail = `${manifest.kind} ${name} is being deleted since ${deletionTimestamp}`;
    throw readDisruption(created.object) ?? new RelaunchError('DeletedExternally', detail, subject);
  }
  if (isPresentAgent(await launches.get(launchId), name)) return created;
  await objects.delete(namespace, name, uid);
  throw new TerminalError('LaunchOver', `the launch was ended while its ${manifest.kind} was created`, subject);
}

/**
 * A create's error is about this attempt. An earlier attempt, or this one if its answer was lost, may have made the object
 * all the same: the server reports a full node-port range, for example, before a name that exists.
 */
async function createOrAdopt<View extends Created>(
  objects: ObjectPort<View>,
  launchId: string,
  manifest: Manifest,
  subject: ErrorSubject,
): Promise<OnceCreated<View>> {
  const { name, namespace } = manifest.metadata;
  const adoptFound = (found: View | undefined) => ({ object: adopt(found, launchId, manifest, subject), isNew: false });
  const find = () => objects.get(namespace, name);
  try {
    const object = await objects.create(manifest);
    return object === undefined ? adoptFound(await find()) : { object, isNew: true };
  } catch (error) {
    if (!(error instanceof PendingError || error instanceof TransientError)) throw error;
    const found = await find();
    if (found === undefined) throw error;
    return adoptFound(found);
  }
}

function adopt<View extends Created>(
  found: View | undefined,
  launchId: string,
  { kind, metadata: { name, ownerReferences } }: Manifest,
  subject: ErrorSubject,
): View {
  if (found === undefined) throw new TransientError('WriteConflict', `${kind} ${name} existed and is gone`, subject);
  const { labels = {} } = found.metadata;
  if (labels[labelKeys.launchId] !== launchId || !sameOwners(found.metadata.ownerReferences, ownerReferences)) {
    const whose = JSON.stringify({ labels, ownerReferences: found.metadata.ownerReferences });
    throw new TerminalError('NameCollision', `${kind} ${name} exists and is not this launch's: ${whose}`, subject);
  }
  return found;
}

function sameOwners(found: { uid: string }[] = [], wanted: { uid: string }[] = []): boolean {
  return found.map(({ uid }) => uid).join() === wanted.map(({ uid }) => uid).join();
}
