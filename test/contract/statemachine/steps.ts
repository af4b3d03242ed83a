import type * as z from '../../../core/zod.ts';
import { CleanUpOutput } from '../../../functions/clean-up/clean-up.ts';
import { CreatePodOutput } from '../../../functions/create-pod/create-pod.ts';
import { CreateServiceOutput } from '../../../functions/create-service/create-service.ts';
import { PollHostIPOutput } from '../../../functions/poll-host-ip/poll-host-ip.ts';
import { PollNodePortOutput } from '../../../functions/poll-node-port/poll-node-port.ts';
import { PublishTokenOutput } from '../../../functions/publish-token/publish-token.ts';
import { RelaunchOutput } from '../../../functions/relaunch/relaunch.ts';
import type { FunctionName } from '../../../runtime/function-settings.ts';

/** The facts about a Task state of the launch. */
export interface StepFacts {
  functionName: FunctionName;
  Output: z.ZodMiniObject;
  /** The key of the output in the data; absent when the output replaces the data. */
  key?: string;
  /** Whether the step may throw a PendingError. */
  pends: boolean;
  /** Whether the step may throw a RelaunchError: infrastructure took the Pod, or the cluster is unusable. */
  relaunches: boolean;
}

/** Every step of the launch, and its clean-up, by the name of its state. */
export const steps: Record<string, StepFacts> = {
  CreateService: {
    functionName: 'create-service',
    Output: CreateServiceOutput,
    key: 'service',
    pends: true,
    relaunches: true,
  },
  PollNodePort: {
    functionName: 'poll-node-port',
    Output: PollNodePortOutput,
    key: 'nodePort',
    pends: true,
    relaunches: true,
  },
  CreatePod: { functionName: 'create-pod', Output: CreatePodOutput, key: 'pod', pends: true, relaunches: true },
  PollHostIP: {
    functionName: 'poll-host-ip',
    Output: PollHostIPOutput,
    key: 'placement',
    pends: true,
    relaunches: true,
  },
  PublishToken: {
    functionName: 'publish-token',
    Output: PublishTokenOutput,
    key: 'token',
    pends: true,
    relaunches: true,
  },
  Relaunch: { functionName: 'relaunch', Output: RelaunchOutput, pends: false, relaunches: false },
  CleanUp: { functionName: 'clean-up', Output: CleanUpOutput, key: 'ending', pends: true, relaunches: false },
};
