import type { Overridden, SyncReport } from '../../sync/synchronise.ts';

const shownMax = 20;

/** A value in a line of the report. */
const valueCharactersMax = 60;

/**
 * The report of a synchronisation for people. `names`: the names of the records that the report lists, by their ids.
 */
export function syncLines(
  report: SyncReport,
  url: string,
  names: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const named = (id: string): string => (names.has(id) ? `${id} ${names.get(id)}` : id);
  const { came, went, merged, overridden, kept, withheld, is_uncertain: isUncertain } = report;
  const moved =
    came + went === 0
      ? `Nothing to exchange with ${url}.`
      : `${counted(came)} came from ${url}, ${went} went there${merged.length === 0 ? '' : `, ${merged.length} had changed on both sides`}.`;
  return [
    moved,
    ...shown(
      'Overridden by a later change of the same value',
      overridden.map((one) => `${named(one.id)} (${overriddenValues(one)})`),
    ),
    ...(overridden.some(({ is_restorable: isRestorable }) => isRestorable)
      ? ['planner log with the record shows the former values; planner restore with a change brings one back.']
      : []),
    ...shown('Kept though one side had removed them', kept.map(named)),
    ...shown('Left alone, since their files cannot be read (planner doctor)', withheld),
    ...(isUncertain
      ? [
          'A file cannot be read, and its record is not known: nothing that is missing here was removed there (planner doctor).',
        ]
      : []),
  ];
}

/** The fields with the values that were overridden: `label was "Take money"`. */
function overriddenValues({ fields, values, is_restorable: isRestorable }: Overridden): string {
  const each = fields.map((field) => {
    const text = JSON.stringify(values[field] ?? null);
    return `${field} was ${text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}…` : text}`;
  });
  return `${each.join(', ')}${isRestorable ? '' : ', without a history'}`;
}

/** The ids of records that a report shows. */
export function idsIn({ overridden, kept }: SyncReport): readonly string[] {
  return [...overridden.slice(0, shownMax).map(({ id }) => id), ...kept.slice(0, shownMax)];
}

/** Returns whether a synchronisation has nothing to report. */
export function isQuiet({ came, went, overridden, kept }: SyncReport): boolean {
  return came + went + overridden.length + kept.length === 0;
}

function counted(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

function shown(what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const more = ids.length > shownMax ? ` and ${ids.length - shownMax} more (--json lists all)` : '';
  return [`${what}: ${ids.slice(0, shownMax).join(', ')}${more}.`];
}
