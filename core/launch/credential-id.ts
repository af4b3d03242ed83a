/** The id of a credential, and how often it was renewed since its Pod was made. */
export interface CredentialNumber {
  /** The id that is in the Pod. */
  madeAs: string;
  renewals: number;
}

/** Reads a credential's id: `4a1c2f0e-…`, or `4a1c2f0e-…/3` for one that was renewed three times. */
export function credentialNumberOf(credentialId: string): CredentialNumber {
  const [madeAs = '', renewals = '0'] = credentialId.split('/');
  return { madeAs, renewals: Number(renewals) };
}

/** Writes the id of the credential that takes the place of another. */
export function renewedCredentialId(credentialId: string): string {
  const { madeAs, renewals } = credentialNumberOf(credentialId);
  return `${madeAs}/${renewals + 1}`;
}
