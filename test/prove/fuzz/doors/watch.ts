import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { observeObject, type WatchObject, watchAlone } from '../../../../adapters/kubernetes/observe-object.ts';
import type { WatchConnection } from '../../../../adapters/kubernetes/watch-events.ts';
import { watchTogether } from '../../../../adapters/kubernetes/watch-together.ts';
import { PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { podUid, podView } from '../../../support/pod-view.ts';
import { anyPodJson } from '../arbitraries/kubernetes-json.ts';
import { jsonText, mutatedJson } from '../arbitraries/mutated-json.ts';
import { odd } from '../arbitraries/odd-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import { defineDoor } from '../door.ts';
import { refusalOf } from './refusal.ts';

const anyType = weighted(
  [8, fc.constantFrom('ADDED', 'MODIFIED')],
  [1, fc.constantFrom('DELETED', 'BOOKMARK', 'ERROR', 'modified', '__proto__')],
);

const anyEvent = fc.tuple(anyType, anyPodJson).map(([type, object]) => jsonText({ type, object }));

const anyLine = weighted(
  [12, anyEvent],
  [1, mutatedJson({ type: 'MODIFIED', object: {} }).map(jsonText)],
  [1, fc.tuple(anyEvent, fc.nat(200)).map(([line, length]) => line.slice(0, length))],
  [1, odd.text],
);

const path = '/api/v1/namespaces/agents/pods';
const never = new AbortController().signal;
const ways: Readonly<Record<string, (connection: WatchConnection) => WatchObject>> = {
  alone: (connection) => watchAlone(connection, path),
  together: (connection) => watchTogether(connection, path, never),
};

/** The events of a watch, its own or shared: each reported change is a valid Pod, and the observation ends. */
export const watchDoor = defineDoor({
  inputs: fc.tuple(fc.constantFrom(...Object.keys(ways)), fc.array(anyLine, { maxLength: 6 })),
  open: () => {
    const patience = { callMs: 1000, silenceMs: 10_000, pauseMs: 0 };
    return async ([way, lines]) => {
      const watch = (ways[way] ?? assert.fail(way))({ patience, stream: async () => linesOf(lines) });
      const parse = (object: unknown) => PodView.parse(object);
      return outcomeOf(
        observeObject({ name: 'davit-x', read: readOnce(), parse, watch, pauseMs: 0 }, { forMs: 10_000 }),
      );
    };
  },
});

async function* linesOf(lines: string[]): AsyncIterable<string> {
  yield* lines;
}

/** A Pod that exists, and is gone at the second read. This ends each observation whose watch did not. */
function readOnce(): () => Promise<PodView | undefined> {
  const views = [podView({ phase: 'Pending' })];
  return async () => views.pop();
}

async function outcomeOf(changes: AsyncIterable<PodView | undefined>): Promise<string> {
  const seen: (PodView | undefined)[] = [];
  try {
    for await (const change of changes) seen.push(change);
  } catch (error) {
    return refusalOf(error);
  }
  assert.equal(seen[0]?.metadata.uid, podUid);
  assert.equal(seen.at(-1), undefined);
  for (const view of seen.slice(0, -1)) PodView.parse(view);
  return seen.length > 2 ? 'seen, and then gone' : 'nothing seen, and then gone';
}
