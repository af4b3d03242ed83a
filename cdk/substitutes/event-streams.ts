/**
 * In the bundles, in place of what the SDK decodes streams of events with, as of `InvokeWithResponseStream`: davit asks
 * for none.
 *
 * @returns the settings as they were
 */
export function resolveEventStreamSerdeConfig<Settings>(settings: Settings): Settings {
  return settings;
}

/** Makes what decodes a stream. @throws Error always */
export function eventStreamSerdeProvider(): never {
  throw new Error('streams of events are left out of davit’s bundles: cdk/substitutes');
}

/** What would decode a stream cannot be made either. */
export const EventStreamSerde = eventStreamSerdeProvider;
