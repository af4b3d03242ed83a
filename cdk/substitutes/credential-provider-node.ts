// Replaces the SDK's default chain of credential providers in the bundles. The clients import the chain and never call
// it, because adapters/aws/client-settings.ts gives them the role's credentials. The chain brings four more
// clients.
/** Refuses to look for credentials. */
export function defaultProvider(): never {
  throw new Error('the functions take their credentials from the environment, and the clients have to be told so');
}
