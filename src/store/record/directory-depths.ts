/**
 * Top directories inside a project's directory that may hold records or history, each with the depth to which
 * directories below it do (1: only itself; Infinity: any depth). Plain data: threads receive it.
 */
export type DirectoryDepths = ReadonlyMap<string, number>;

/**
 * Returns whether a directory inside a project's directory, or a directory in it, may contain record files or history.
 */
export function mayHoldRecords(depths: DirectoryDepths, directory: string): boolean {
  const parts = directory.split('/');
  return parts.length <= (depths.get(parts[0] ?? '') ?? 0);
}
