// Replaces the SDK's event streams in the bundles: davit calls nothing that answers with one. The SDK imports them when it
// meets the first, so esbuild would run every module that they share with the rest of the SDK in a function of its own,
// and would keep all of it.
/** Returns the settings of a client unchanged. */
export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}

/** Stands in for the provider: a client only stores it until a stream needs it. */
export const eventStreamSerdeProvider = undefined;
