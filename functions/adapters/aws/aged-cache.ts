/** Values by key, each kept for a while. */
export interface AgedCache<Value> {
  /** Gives a value from memory, or loads it when there is none that is young enough, or it is being loaded anyway. */
  get(key: string): Promise<Value>;
  /** Loads a value anew, whatever its age; once for all who ask meanwhile. */
  reload(key: string): Promise<Value>;
  /** When a value was last asked of `load`, whether it came or not; undefined if never. */
  lastLoadEpochMs(key: string): number | undefined;
}

/** What a cache is made of. */
export interface AgedCacheOptions<Value> {
  /** @param known the value that there was, to be given again if nothing has changed */
  load: (key: string, known: Value | undefined) => Promise<Value>;
  maxAgeMs: number;
  nowEpochMs: () => number;
}

/** Makes an empty cache. A load that fails is not kept. */
export function createAgedCache<Value>({ load, maxAgeMs, nowEpochMs }: AgedCacheOptions<Value>): AgedCache<Value> {
  const values = new Map<string, { value: Value; loadedAtEpochMs: number }>();
  const loads = new Map<string, number>();
  const loading = new Map<string, Promise<Value>>();

  async function loadNow(key: string): Promise<Value> {
    const loadedAtEpochMs = nowEpochMs();
    loads.set(key, loadedAtEpochMs);
    try {
      const value = await load(key, values.get(key)?.value);
      values.set(key, { value, loadedAtEpochMs });
      return value;
    } finally {
      loading.delete(key);
    }
  }
  function reload(key: string): Promise<Value> {
    const underWay = loading.get(key) ?? loadNow(key);
    loading.set(key, underWay);
    return underWay;
  }
  return {
    get: async (key) => {
      const underWay = loading.get(key);
      if (underWay !== undefined) return underWay;
      const known = values.get(key);
      return known !== undefined && nowEpochMs() - known.loadedAtEpochMs < maxAgeMs ? known.value : reload(key);
    },
    reload,
    lastLoadEpochMs: (key) => loads.get(key),
  };
}
