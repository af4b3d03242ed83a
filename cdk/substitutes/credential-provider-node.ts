// In the bundles, in place of the SDK's default chain of credential providers, which the clients import and never ask:
// functions/adapters/aws/client-settings.ts gives them the role's credentials. The chain brings four more clients.
/** Refuses to look for credentials. */
export function defaultProvider(): never {
  throw new Error('the functions take their credentials from the environment, and the clients have to be told so');
}
