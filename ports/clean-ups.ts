/** Requests that a launch's clean-up runs soon, even if the requesting process dies. */
export interface CleanUps {
  /** Returns once the request is durable. @throws TransientError StoreUnavailable */
  request(launchId: string): Promise<void>;
}
