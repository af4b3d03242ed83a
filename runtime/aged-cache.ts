/** A cache whose values expire by age. */
export interface AgedCache<Value> {
  /** Returns the value from memory, or loads it when it is missing or too old. Joins a load that is under way. */
  get(key: string): Promise<Value>;
  /** Loads the value again, whatever its age. Joins a load that is under way. */
  reload(key: string): Promise<Value>;
  /** The last call of `load` for a key; undefined if there was none. */
  lastLoad(key: string): Load | undefined;
}

/** One call of `load`. */
export interface Load {
  atEpochMs: number;
  /** Why it failed; absent when it succeeded or is under way. */
  failure?: unknown;
}

/** How a cache loads its values, and for how long it keeps them. */
export interface AgedCacheOptions<Value> {
  /** @param known the previous value; return it if nothing has changed */
  load: (key: string, known: Value | undefined) => Promise<Value>;
  maxAgeMs: number;
  nowEpochMs: () => number;
}

/** Makes an empty cache. A failed load leaves the previous value. */
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
