import { EpochMs, isoTime } from '../epoch-ms.ts';
import * as z from '../zod.ts';
import { AgentName, LaunchId } from './names.ts';
import { Timeline } from './timeline.ts';

// However it is written: 0.0.0.0, ::, 0:0:0:0:0:0:0:0, ::ffff:0.0.0.0.
const anywhere = /^(::ffff:)?[0:.]+$/i;

// `0`, `0x0` and `256.1.1.1` are host names by the letter of RFC 1123, but a dialler reads them as numbers.
const dnsName = z.hostname().check(z.regex(/(^|\.)[a-z][-a-z0-9]*\.?$/i));

const undialled = { error: 'expected an address that can be dialled' };

/** An address that one can dial: an IP address or a DNS name, except the address that means "anywhere". */
export const Host = z
  .union([z.ipv4(), z.ipv6(), dnsName], undialled)
  .check(z.refine((host) => !anywhere.test(host), undialled));

/**
 * The address at which the CI server reaches an agent. The agent gets it when it connects. A token is complete or does
 * not exist: no field is optional, and no value stands for "not yet". A token of a later version may have more fields.
 */
export const CompletedToken = z.object({
  agentName: AgentName,
  launchId: LaunchId,
  host: Host,
  port: z.int().check(z.gte(1), z.lte(65_535)),
  /** Whether the agent's port speaks TLS. */
  tls: z.boolean(),
  /** ISO 8601, UTC. */
  publishedAt: z.iso.datetime(),
  /** ISO 8601, UTC. An agent that connects later gets 410. */
  expiresAt: z.iso.datetime(),
});
export type CompletedToken = z.infer<typeof CompletedToken>;

/** A published token, with the credential that may read it, and what connect copies into the launch's record. */
export const PublishedToken = z.object({
  token: CompletedToken,
  /**
   * The id of the one credential that may read the token: the one in the Pod at this address. Absent when version 0.1.0
   * made the Pod or the state machine: then any credential of the agent's name may.
   */
  credentialId: z.optional(z.string()),
  /** How the launch came to this token. Version 0.1.0 wrote none. */
  timeline: z.optional(Timeline),
});
export type PublishedToken = z.infer<typeof PublishedToken>;

/** The parts of a token. Each comes from a step that has seen it. */
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
 * @throws $ZodError for a part that is not an address to dial, a port of 1 to 65535, or a moment
 */
export function completeToken({ publishedAtEpochMs, expiresAtEpochMs, ...parts }: TokenParts): CompletedToken {
  return CompletedToken.parse({
    ...parts,
    publishedAt: isoTime(EpochMs.parse(publishedAtEpochMs)),
    expiresAt: isoTime(EpochMs.parse(expiresAtEpochMs)),
  });
}
