/** Requests looks at clusters, which happen even if the requesting process dies. */
export interface Probes {
  /** Asks for a look at a cluster a call to which has failed. @throws TransientError StoreUnavailable */
  request(cluster: string): Promise<void>;
  /** Asks for looks at a cluster for as long as launches are under way there. @throws TransientError StoreUnavailable */
  requestWatch(cluster: string): Promise<void>;
}
