import { withAutoscaler } from '../../../../core/pod/autoscaler-words.ts';
import type { EventView } from '../../../../core/pod/kubernetes-objects.ts';
import type { PodVerdict } from '../../../../core/pod/pod-verdict.ts';

const verdict: PodVerdict = { kind: 'wait', signal: 'Unschedulable', detail: '0/3 nodes are available', subject: {} };
const event = (reason: string, message: string, second: number): EventView => ({
  involvedObject: {},
  reason,
  message,
  lastTimestamp: `2026-01-01T00:00:0${second}Z`,
});

test.each<[string, EventView[], string]>([
  ['is not known', [event('FailedScheduling', '0/3 nodes', 1)], '0/3 nodes are available'],
  [
    'acts',
    [event('NotTriggerScaleUp', 'max node group size reached', 1), event('TriggeredScaleUp', 'group 3->4', 2)],
    '0/3 nodes are available; an autoscaler acts: TriggeredScaleUp: group 3->4',
  ],
  [
    'does not act',
    [event('TriggeredScaleUp', 'group 3->4', 1), event('NotTriggerScaleUp', 'max node group size reached', 2)],
    '0/3 nodes are available; an autoscaler does not act: NotTriggerScaleUp: max node group size reached',
  ],
  [
    'is Karpenter',
    [event('Nominated', 'should schedule on: nodeclaim/x', 1)],
    '0/3 nodes are available; an autoscaler acts: Nominated: should schedule on: nodeclaim/x',
  ],
])('a Pod that fits on no node says that an autoscaler %s', (_what, events, detail) => {
  expect(withAutoscaler(verdict, events)).toEqual({ ...verdict, detail });
});
