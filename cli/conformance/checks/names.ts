import { randomUUID } from 'node:crypto';
import { resourceCalls } from '../../../adapters/kubernetes/resource-calls.ts';
import { type Check, held, notHeld } from '../check.ts';
import { refusalOf } from '../refusal-of.ts';

/** A name belongs to one object. */
export const nameTaken: Check = {
  name: 'name-taken',
  reliesOn: 'a create under a name that exists is refused with 409 AlreadyExists',
  thenDavit:
    'takes the refusal for another error, by its status and words. If that is a transient one, davit reads the object and ' +
    'adopts its own; if it is a terminal one, the launch fails. If both creates succeed, davit takes the second object for its own.',
  run: async (context) => {
    const { name } = (await context.throwaways.pod()).metadata;
    const refusal = await refusalOf(context, 'create pods', context.throwaways.pod({ name }));
    if (refusal === undefined) return notHeld(`two creates of the Pod ${name} were accepted`);
    const { words, reason, code } = refusal;
    if (reason === 'AlreadyExists') return held(words);
    return notHeld(`${words} (reason ${reason ?? 'none'}); davit takes it for ${code}`);
  },
};

/** A deletion is of the object that was read, and of no other one of its name. */
export const uidPrecondition: Check = {
  name: 'uid-precondition',
  reliesOn: 'a deletion with another uid as its precondition is refused with 409',
  thenDavit:
    'deletes by the uid that it has read, which such a cluster ignores: CleanUp or the sweep can delete an object that ' +
    'somebody else has made under the same name in the meantime.',
  run: async (context) => {
    const { throwaways, connection, namespace } = context;
    const { name } = (await throwaways.pod()).metadata;
    const deletion = resourceCalls.pods.remove(connection.core, namespace, name, randomUUID());
    const refusal = await refusalOf(context, 'delete pods', deletion);
    const after = await throwaways.findPod(name);
    if (after === undefined || after.metadata.deletionTimestamp !== undefined) {
      return notHeld(`the Pod ${name} was deleted by another uid than its own`);
    }
    if (refusal?.httpStatus === 409) return held(refusal.words);
    return notHeld(refusal === undefined ? 'the deletion was accepted, and the Pod is kept' : refusal.words);
  },
};
