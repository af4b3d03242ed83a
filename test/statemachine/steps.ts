import type * as z from 'zod';
import { AwaitAgentOutput } from '../../functions/await-agent/await-agent.ts';
import { CleanUpOutput } from '../../functions/clean-up/clean-up.ts';
import { CreatePodOutput } from '../../functions/create-pod/create-pod.ts';
import { CreateServiceOutput } from '../../functions/create-service/create-service.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { PollHostIPOutput } from '../../functions/poll-host-ip/poll-host-ip.ts';
import { PollNodePortOutput } from '../../functions/poll-node-port/poll-node-port.ts';
import { PublishTokenOutput } from '../../functions/publish-token/publish-token.ts';

/** What a Task state of the launch stands for. */
export interface StepFacts {
  functionName: FunctionName;
  Output: z.ZodObject;
  /** The key of the data that the output becomes. */
  key: string;
  /** Whether the step may be too early; which of its waits that is, in words of the state machine's comments. */
  pends: boolean;
}

/** Every step of the launch, and its clean-up, by the name of its state. */
export const steps: Record<string, StepFacts> = {
  CreateService: { functionName: 'create-service', Output: CreateServiceOutput, key: 'service', pends: true },
  PollNodePort: { functionName: 'poll-node-port', Output: PollNodePortOutput, key: 'nodePort', pends: true },
  CreatePod: { functionName: 'create-pod', Output: CreatePodOutput, key: 'pod', pends: true },
  PollHostIP: { functionName: 'poll-host-ip', Output: PollHostIPOutput, key: 'placement', pends: true },
  PublishToken: { functionName: 'publish-token', Output: PublishTokenOutput, key: 'token', pends: false },
  AwaitAgent: { functionName: 'await-agent', Output: AwaitAgentOutput, key: 'agent', pends: true },
  CleanUp: { functionName: 'clean-up', Output: CleanUpOutput, key: 'ending', pends: true },
};
