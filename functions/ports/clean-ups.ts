/** Asks for a launch's clean-up to run soon, whatever becomes of the asker. */
export interface CleanUps {
  /** Returns once the request is durable. @throws TransientError StoreUnavailable */
  request(launchId: string): Promise<void>;
}
