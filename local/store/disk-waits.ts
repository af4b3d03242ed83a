/** Writes, and those who wait until these are on the disk: those who come meanwhile wait together. */
export interface DiskWaits {
  /** Counts a write. */
  wrote(): void;
  /** Resolves when all writes so far are on the disk. @throws what `sync` throws */
  onDisk(): Promise<void>;
}

/** @param sync puts all that has been written before it begins on the disk */
export function diskWaits(sync: () => Promise<void>): DiskWaits {
  let written = 0;
  let synced = 0;
  /** The wait that is under way, and how many writes it is for: it may miss later ones. */
  let running: { upTo: number; end: Promise<void> } | undefined;
  let following: Promise<void> | undefined;

  async function syncUpTo(upTo: number): Promise<void> {
    try {
      await sync();
      synced = Math.max(synced, upTo);
    } finally {
      running = undefined;
    }
  }

  function begin(): Promise<void> {
    following = undefined;
    running = { upTo: written, end: syncUpTo(written) };
    return running.end;
  }

  return {
    wrote: () => {
      written += 1;
    },
    onDisk: async () => {
      if (synced === written) return;
      if (running === undefined) return begin();
      if (running.upTo === written) return running.end;
      following ??= running.end.then(begin, begin);
      return following;
    },
  };
}
