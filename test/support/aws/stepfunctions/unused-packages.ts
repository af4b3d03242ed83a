/** Stands in for the engine's imports from packages that davit does not need: see engine.ts. */
const nothing = undefined;

export { nothing as default, nothing as fromCognitoIdentityPool, nothing as InvokeCommand, nothing as LambdaClient };
