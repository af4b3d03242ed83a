import * as z from 'zod';
import { AgentName, LaunchId } from './names.ts';

/** An address that can be dialled: an IP address or a DNS name, and not the one that means "anywhere". */
export const Host = z
  .union([z.ipv4(), z.ipv6(), z.hostname()])
  .refine((host) => host !== '0.0.0.0' && host !== '::', { error: 'expected an address that can be dialled' });

/**
 * What an agent is told when it connects: the address at which it is reached. It is complete or it does not exist:
 * no field is optional, and there is no value that stands for "not yet".
 */
export const CompletedToken = z.strictObject({
  agentName: AgentName,
  launchId: LaunchId,
  host: Host,
  port: z.int().min(1).max(65_535),
  /** Whether the agent's port speaks TLS. */
  tls: z.boolean(),
  /** ISO 8601, UTC. */
  publishedAt: z.iso.datetime(),
  /** ISO 8601, UTC; connecting later is answered 410. */
  expiresAt: z.iso.datetime(),
});
export type CompletedToken = z.infer<typeof CompletedToken>;

/** What a token is made of. Every part comes from a step that has seen it. */
export interface TokenParts {
  agentName: string;
  launchId: string;
  host: string;
  port: number;
  tls: boolean;
  publishedAtEpochMs: number;
  expiresAtEpochMs: number;
}

/**
 * Makes a token: complete, or not at all.
 *
 * @throws ZodError for a part that is not a dialled address, a port of 1 to 65535, or a moment
 */
export function completeToken({ publishedAtEpochMs, expiresAtEpochMs, ...parts }: TokenParts): CompletedToken {
  return CompletedToken.parse({
    ...parts,
    publishedAt: new Date(publishedAtEpochMs).toISOString(),
    expiresAt: new Date(expiresAtEpochMs).toISOString(),
  });
}
