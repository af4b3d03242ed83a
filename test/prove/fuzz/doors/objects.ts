import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { errorCodes } from '../../../../core/errors/error-codes.ts';
import { Host } from '../../../../core/launch/completed-token.ts';
import { judgePod } from '../../../../core/pod/judge-pod.ts';
import { PodView, ServiceView } from '../../../../core/pod/kubernetes-objects.ts';
import { hostOf, nodePortOf } from '../../../../core/pod/read-address.ts';
import type * as z from '../../../../core/zod.ts';
import { agentPort, anyPodJson, anyServiceJson, uid } from '../arbitraries/kubernetes-json.ts';
import { jsonText } from '../arbitraries/mutated-json.ts';
import { weighted } from '../arbitraries/weighted.ts';
import { defineDoor } from '../door.ts';
import { refusalOf } from './refusal.ts';

/** Pods and Services as a cluster reports them: each yields a verdict or a refusal, and never an unusable address. */
export const objectsDoor = defineDoor({
  inputs: weighted(
    [3, fc.tuple(fc.constant('Pod'), anyPodJson.map(jsonText))],
    [1, fc.tuple(fc.constant('Service'), anyServiceJson.map(jsonText))],
  ),
  open:
    () =>
    ([kind, text]) =>
      kind === 'Pod' ? judged(PodView, text, checkPod) : judged(ServiceView, text, checkService),
});

/** Parses an object as the adapter does, and checks davit's conclusions. */
function judged<View>(schema: z.ZodMiniType<View>, text: string, check: (view: View) => string): string {
  let view: View;
  try {
    view = schema.parse(JSON.parse(text));
  } catch (error) {
    return refusalOf(error);
  }
  return check(view);
}

function checkPod(pod: PodView): string {
  for (const expose of ['nodePort', 'none'] as const) {
    const host = hostOf(pod, expose);
    assert.ok(host === undefined || Host.safeParse(host).success);
  }
  const verdict = judgePod(pod, uid);
  if (verdict.kind === 'wait') return 'wait';
  assert.equal(errorCodes[verdict.code].family, verdict.kind === 'relaunch' ? 'relaunch' : 'terminal');
  return `${verdict.kind} ${verdict.code}`;
}

function checkService(service: ServiceView): string {
  const port = nodePortOf(service, agentPort);
  assert.ok(port === undefined || (port >= 1 && port <= 65_535), `nodePort ${port} cannot be dialled`);
  return port === undefined ? 'no nodePort yet' : 'a nodePort';
}
