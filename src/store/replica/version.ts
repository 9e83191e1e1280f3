/**
 * Names the change set that touched something last: the project's sequence and the index of the change set in its entry
 * (`order`), and a hash of the entry's id (`epoch`). Equal on every replica of the project. The epoch distinguishes the
 * entry from one that has the same sequence in another history of the log, for example after a backup was restored.
 */
export interface Version {
  readonly order: number;
  readonly epoch: number;
}

/** An entry contains fewer change sets than this. */
const setsPerEntryMax = 4096;
const base36 = 36;
/** The characters of an entry's id that are random; its prefix and code are constant. */
const idTailLength = 10;

export function orderOf(seq: number, set = 0): number {
  return seq * setsPerEntryMax + set;
}

/** 32 bits (FNV-1a) of an entry's id. */
export function epochOf(id: string): number {
  let epoch = 0x811c9dc5;
  for (let at = Math.max(0, id.length - idTailLength); at < id.length; at++)
    epoch = Math.imul(epoch ^ id.charCodeAt(at), 0x01000193);
  return epoch >>> 0;
}

/** The version as an opaque text of `[0-9a-z-]`. */
export function formatVersion(order: number, epoch: number): string {
  const set = order % setsPerEntryMax;
  const text = `${epoch.toString(base36)}-${((order - set) / setsPerEntryMax).toString(base36)}`;
  return set === 0 ? text : `${text}-${set.toString(base36)}`;
}

export function parseVersion(text: string): Version | undefined {
  const [, epoch, seq, set = '0'] = /^([0-9a-z]{1,7})-([0-9a-z]{1,8})(?:-([0-9a-z]{1,3}))?$/.exec(text) ?? [];
  if (epoch === undefined || seq === undefined) return undefined;
  return {
    order: orderOf(Number.parseInt(seq, base36), Number.parseInt(set, base36)),
    epoch: Number.parseInt(epoch, base36),
  };
}
