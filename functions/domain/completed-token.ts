import * as z from 'zod';
import { AgentName, LaunchId } from './names.ts';

/**
 * What an agent is told when it connects: the address at which it is reached. It is complete or it does not exist:
 * no field is optional, and there is no value that stands for "not yet".
 */
export const CompletedToken = z.strictObject({
  agentName: AgentName,
  launchId: LaunchId,
  /** An IP address or a DNS name. */
  host: z.union([z.ipv4(), z.ipv6(), z.hostname()]).refine((host) => !/^(0\.0\.0\.0|::)$/.test(host), {
    error: 'expected an address that can be dialled',
  }),
  port: z.int().min(1).max(65_535),
  /** Whether the agent's port speaks TLS. */
  tls: z.boolean(),
  /** ISO 8601, UTC. */
  publishedAt: z.iso.datetime(),
  /** ISO 8601, UTC; connecting later is answered 410. */
  expiresAt: z.iso.datetime(),
});
export type CompletedToken = z.infer<typeof CompletedToken>;
