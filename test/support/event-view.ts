import { EventView } from '../../core/pod/kubernetes-objects.ts';
import { podUid } from './pod-view.ts';

/** An Event about the Pod of `podView`, last seen at that moment. */
export function event(reason: string, lastTimestamp: string | null, others: object = {}): EventView {
  const involvedObject = { kind: 'Pod', name: 'davit-x', uid: podUid };
  return EventView.parse({ type: 'Warning', reason, message: 'why', involvedObject, lastTimestamp, ...others });
}
