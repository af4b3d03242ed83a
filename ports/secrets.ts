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

/** Reads secrets, and keeps them for a while. Any method may throw TransientError StoreUnavailable. */
export interface Secrets {
  /** Reads a secret, from memory if it was read less than the maximum age ago. @throws TerminalError SecretMissing */
  read(id: string): Promise<string>;
  /** Reads a secret again, after a server refused the present value. @throws TerminalError SecretMissing */
  refresh(id: string): Promise<string>;
  /** A secret for making and checking signatures, by its versions. */
  signing: (id: string) => SigningSecrets;
}
