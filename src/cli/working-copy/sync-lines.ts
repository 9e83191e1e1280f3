import type { SyncReport } from '../../sync/synchronise.ts';

const shownMax = 20;

/** What a synchronisation did, for people. */
export function syncLines(report: SyncReport, url: string): readonly string[] {
  const { came, went, merged, overridden, kept, withheld, is_uncertain: isUncertain } = report;
  const moved =
    came + went === 0
      ? `Nothing to exchange with ${url}.`
      : `${counted(came)} came from ${url}, ${went} went there${merged.length === 0 ? '' : `, ${merged.length} had changed on both sides`}.`;
  return [
    moved,
    ...shown(
      'Overridden by a later change of the same value',
      overridden.map(
        ({ id, fields, is_restorable: isRestorable }) =>
          `${id} (${fields.join(', ')})${isRestorable ? '' : ' without a history'}`,
      ),
    ),
    ...shown('Kept though one side had removed them', kept),
    ...shown('Left alone, since their files cannot be read (planner doctor)', withheld),
    ...(isUncertain
      ? [
          'A file cannot be read, and its record is not known: nothing that is missing here was removed there (planner doctor).',
        ]
      : []),
  ];
}

/** Whether a synchronisation has anything to say. */
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
