/** One version of a signing secret. */
export interface SigningSecret {
  /** Identifies the version; it is no secret itself. */
  id: string;
  text: string;
}

/**
 * A secret that may be rotated while its signatures are under way: davit accepts the previous version for a day. Any
 * method may throw TransientError StoreUnavailable and TerminalError SecretMissing.
 */
export interface SigningSecrets {
  /** Returns the accepted versions, the one to sign with first. They may be some minutes old. */
  accepted(): Promise<readonly SigningSecret[]>;
  /**
   * Reads the accepted versions again, for a signature that none of them made. Anybody can send such signatures, so it
   * reads at most once in ten seconds. Returns the very same array if nothing has changed. After a failed read, it fails
   * for the rest of that time.
   */
  refreshed(): Promise<readonly SigningSecret[]>;
}
