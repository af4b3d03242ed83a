import { CreatedPod, LaunchState, LookPause, PodTimes, Stamps } from '../../../../core/launch/execution-state.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';

const atEpochMs = 1_767_225_600_000;
const made = { credentialId: '00000000-0000-4000-8000-000000000001', isNew: true };
const seen = { scheduledAtEpochMs: atEpochMs, containersStartedAtEpochMs: atEpochMs };
const stamps = {
  startedAtEpochMs: atEpochMs,
  service: { createdAtEpochMs: atEpochMs },
  nodePort: { readAtEpochMs: atEpochMs },
  pod: { createdAtEpochMs: atEpochMs },
  placement: { placedAtEpochMs: atEpochMs, seen },
  token: { publishedAtEpochMs: atEpochMs },
};

test.each([
  { what: "a Pod's times", schema: PodTimes, data: seen },
  { what: 'what CreatePod adds', schema: CreatedPod, data: made },
  { what: 'the pause before the next look', schema: LookPause, data: { lookPauseSeconds: 5 } },
  { what: 'the stamps of all steps', schema: Stamps, data: stamps },
  {
    what: 'the data of an execution',
    schema: LaunchState,
    data: {
      ...planOf('github-1-2-1'),
      ...stamps,
      service: { uid: 'service-uid-1', ...stamps.service },
      nodePort: { port: 30_080, ...stamps.nodePort },
      pod: { uid: 'pod-uid-1', resourceVersion: '7', ...stamps.pod, made },
      placement: { host: '10.0.0.7', resourceVersion: '8', ...stamps.placement },
      failure: { Error: 'TerminalError', Cause: '{}' },
    },
  },
])('every field of $what reaches the next step', ({ schema, data }) => {
  expect(schema.parse(data)).toEqual(data);
});
