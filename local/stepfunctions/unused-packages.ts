/** What the engine imports of the packages that davit does not need. See engine.ts. */
const nothing = undefined;

export { nothing as default, nothing as fromCognitoIdentityPool, nothing as InvokeCommand, nothing as LambdaClient };
