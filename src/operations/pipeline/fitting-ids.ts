/** The budget of the answer to a change of many records, for an agent. */
export const answerBytesMax = 33_000;
/** As much of it as ids by their keys may take. */
const idBytesMax = 24_000;

interface FittingIds {
  readonly kept: Readonly<Record<string, string>>;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** The ids of the first keys, which fit an agent: a change whose answer its client cuts looks like one that failed. */
export function fittingIds(ids: Readonly<Record<string, string>>): FittingIds {
  const entries = Object.entries(ids);
  let sum = 0;
  const end = entries.findIndex((entry) => (sum += Buffer.byteLength(JSON.stringify(entry))) > idBytesMax);
  if (end === -1) return { kept: ids, bytes: sum, warnings: [] };
  const warning = `key_to_id has the first ${end} of ${entries.length} keys: list_tasks and list_documents have the other ids.`;
  return { kept: Object.fromEntries(entries.slice(0, end)), bytes: idBytesMax, warnings: [warning] };
}
