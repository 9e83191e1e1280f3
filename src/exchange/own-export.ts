/** The value of `from` for an export of Planner. */
export const ownFormat = 'planner';

/** The number of bytes from which an export of Planner is detected: it begins with its format. */
export const ownHeadBytes = 4096;

/** Returns whether a file begins as an export of Planner. */
export function isOwnExport(head: Uint8Array): boolean {
  return /^\uFEFF?\s*\{\s*"format"\s*:\s*"planner-export-v\d+"/.test(new TextDecoder().decode(head));
}
