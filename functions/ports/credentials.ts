/** Whom a credential stands for. */
export interface AgentIdentity {
  agentName: string;
  launchId: string;
  /**
   * The credential's own, which is no secret. Each attempt to create a Pod makes another, so it tells the Pods of one
   * agent's name apart as their uids do, and is known before there is a uid. Version 0.1.0 gave none.
   */
  credentialId?: string;
}

/** Makes the credential with which an agent connects. */
export interface CredentialIssuer {
  /** @param expiresAtEpochSeconds when it stops being accepted @throws TransientError StoreUnavailable */
  issue(identity: Required<AgentIdentity>, expiresAtEpochSeconds: number): Promise<string>;
}

/** Checks credentials. Nothing is stored to check them. */
export interface CredentialVerifier {
  /** @returns undefined for one that is malformed, forged, expired, or of another kind @throws TransientError */
  verify(credential: string): Promise<AgentIdentity | undefined>;
}
