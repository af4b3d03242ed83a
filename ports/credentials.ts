/** The agent that a credential stands for. */
export interface AgentIdentity {
  agentName: string;
  launchId: string;
  /**
   * The credential's own id, which is no secret. Each attempt to create a Pod makes a new one. So it identifies a Pod as
   * its uid does, but exists before the Pod. Credentials of version 0.1.0 have none.
   */
  credentialId?: string;
}

/** An agent that has proven its identity. */
export interface VerifiedAgent extends AgentIdentity {
  /** When its credential was made, in whole seconds: shortly before its Pod. */
  issuedAtEpochMs: number;
}

/** Makes the credential with which an agent connects. */
export interface CredentialIssuer {
  /** @param expiresAtEpochSeconds when it stops being accepted @throws TransientError StoreUnavailable */
  issue(identity: Required<AgentIdentity>, expiresAtEpochSeconds: number): Promise<string>;
}

/** Checks credentials, without stored state. */
export interface CredentialVerifier {
  /** @returns undefined for a credential that is malformed, forged, expired, or of another kind @throws TransientError */
  verify(credential: string): Promise<VerifiedAgent | undefined>;
}
