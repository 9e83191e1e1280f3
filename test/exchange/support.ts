import type { Draft, Fields } from '../../src/domain/exchange/draft.ts';
import type { ImportedPlan } from '../../src/exchange/imported-plan.ts';
import type { PlanFiles } from '../../src/exchange/plan-files.ts';
import { PlanFile } from '../../src/exchange/plan-format.ts';

/** Files for a reader, from their texts. */
export function filesOf(texts: Readonly<Record<string, string>>): PlanFiles {
  return {
    paths: Object.keys(texts).sort(),
    text: (path) => texts[path]!,
    bytes: (path) => Buffer.from(texts[path]!),
  };
}

/** A file for a format, from its text. */
export function fileOf(path: string, text: string): PlanFile {
  return new PlanFile(path, Buffer.from(text));
}

// Tests look into records of every kind.
// oxlint-disable-next-line typescript/no-explicit-any
type Record_ = any;

/** The records of a list, by title. */
export function named({ draft }: ImportedPlan, list: string): Readonly<Record<string, Record_>> {
  const records = draft.lists.get(list) ?? [];
  return Object.fromEntries(records.map((record) => [record['label'] ?? record['title'] ?? record['name'], record]));
}

/** The edges of a draft, as `from -label-> to` with titles. */
export function edgesOf({ draft }: ImportedPlan): string[] {
  const called = new Map<unknown, unknown>();
  for (const record of [...records(draft, 'tasks'), ...records(draft, 'documents')])
    called.set(record['id'], record['label'] ?? record['title']);
  return ['tasks', 'documents'].flatMap((list) =>
    records(draft, list).flatMap((record) =>
      ((record['links'] ?? []) as Fields[]).map(
        ({ to, label }) =>
          `${String(called.get(record['id']))} -${typeof label === 'string' ? label : ''}-> ${String(called.get(to))}`,
      ),
    ),
  );
}

function records({ lists }: Draft, list: string): readonly Fields[] {
  return lists.get(list) ?? [];
}

/** The omitted parts: how many of how many, the kind, the reason and the place. */
export function leftOutOf({ report }: ImportedPlan): string[] {
  return report.left_out.map(
    ({ of, reason, count, total, places, expected }) =>
      `${count} of ${total} ${of}: ${reason} (${places.join(', ')})${expected ? ', as expected' : ''}`,
  );
}

/** The remarks with their counts. */
export function remarksOf({ report }: ImportedPlan): string[] {
  return report.remarks.map(({ what, count }) => `${count} × ${what}`);
}
