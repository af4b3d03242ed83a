/** Whom a credential stands for. */
export interface AgentIdentity {
  agentName: string;
  launchId: string;
}

/** Makes the credential with which an agent connects. */
export interface CredentialIssuer {
  /** @param expiresAtEpochSeconds when it stops being accepted @throws TransientError StoreUnavailable */
  issue(identity: AgentIdentity, expiresAtEpochSeconds: number): Promise<string>;
}

/** Checks credentials. Nothing is stored to check them. */
export interface CredentialVerifier {
  /** @returns undefined for one that is malformed, forged, expired, or of another kind @throws TransientError */
  verify(credential: string): Promise<AgentIdentity | undefined>;
}
