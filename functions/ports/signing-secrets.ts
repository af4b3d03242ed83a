/** A secret that something is signed with. */
export interface SigningSecret {
  /** Tells versions of the secret apart, and is no secret itself. */
  id: string;
  text: string;
}

/**
 * A secret that is rotated while signatures by it are on their way: for a day after a rotation, the one before is
 * accepted too. Any method may throw TransientError StoreUnavailable, and TerminalError SecretMissing.
 */
export interface SigningSecrets {
  /** The secrets that signatures are accepted by, the one to sign with first; they may be some minutes old. */
  accepted(): Promise<readonly SigningSecret[]>;
  /**
   * The same as they are now, for a signature that none of them made. Anybody can send such signatures, so this looks
   * again once in ten seconds, whoever asks; the very same array as before says that there is nothing new. A look that
   * failed fails for all who ask in that time.
   */
  refreshed(): Promise<readonly SigningSecret[]>;
}
