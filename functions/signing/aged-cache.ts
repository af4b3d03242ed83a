/** Values by key, each kept for a while. */
export interface AgedCache<Value> {
  /** Gives a value from memory, or loads it when there is none that is young enough, or it is being loaded anyway. */
  get(key: string): Promise<Value>;
  /** Loads a value anew, whatever its age; once for all who ask meanwhile. */
  reload(key: string): Promise<Value>;
  /** The last time that a value was asked of `load`; undefined if there was none. */
  lastLoad(key: string): Load | undefined;
}

/** One time that a value was asked for. */
export interface Load {
  atEpochMs: number;
  /** Why it did not come; absent when it did, or has yet to. */
  failure?: unknown;
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
  const loads = new Map<string, Load>();
  const loading = new Map<string, Promise<Value>>();

  async function loadNow(key: string): Promise<Value> {
    const loadedAtEpochMs = nowEpochMs();
    loads.set(key, { atEpochMs: loadedAtEpochMs });
    try {
      const value = await load(key, values.get(key)?.value);
      values.set(key, { value, loadedAtEpochMs });
      return value;
    } catch (failure) {
      loads.set(key, { atEpochMs: loadedAtEpochMs, failure });
      throw failure;
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
    lastLoad: (key) => loads.get(key),
  };
}
