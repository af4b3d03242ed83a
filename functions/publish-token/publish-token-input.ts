import { LaunchState, LookPause } from '../../core/launch/execution-state.ts';
import { LaunchPlan } from '../../core/launch/launch-state.ts';
import * as z from '../../core/zod.ts';

const Placed = z.extend(LaunchPlan, {
  service: z.optional(LaunchState.shape.service),
  pod: LaunchState.shape.pod,
  placement: z.extend(LaunchState.shape.placement, LookPause.shape),
});
const Exposed = z.extend(Placed, { expose: z.literal('nodePort'), nodePort: LaunchState.shape.nodePort });
const NotExposed = z.extend(Placed, { expose: z.literal('none') });

/** The plan, what the launch has so far, and how this state pauses. */
export const PublishTokenInput = z.discriminatedUnion('expose', [Exposed, NotExposed]);
export type PublishTokenInput = z.infer<typeof PublishTokenInput>;

/** A launch whose token is out. */
export type PublishedLaunch = PublishTokenInput & Pick<LaunchState, 'token'>;

/** Returns the address of the launch's agent. */
export function addressOf(input: PublishTokenInput): { host: string; port: number } {
  const { host } = input.placement;
  return { host, port: input.expose === 'nodePort' ? input.nodePort.port : input.agentPort };
}
