import { atOnce, inSlices, type Steps } from '../../../base/slices.ts';
import type { Head } from '../../record/log.ts';
import { freezeParsed } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { ColdProject } from './cold-project.ts';
import type { ForeignIds } from './foreign-ids.ts';
import { type Header, parsedLine, requireCount, requireHeader } from './log-snapshot.ts';
import type { NodeTexts } from './node-texts.ts';
import type { PlacedRecord } from './placed-records.ts';
import { linesIn } from './snapshot-parts.ts';
import { SnapshotError, type Summary } from '../storage/snapshot-store.ts';

/** The part of a snapshot that a cold project has. */
export interface RestoredSummary {
  readonly head: Head;
  readonly at: string | undefined;
  readonly entryBytes: number;
  readonly placed: readonly PlacedRecord[];
  readonly own: ColdProject['own'];
}

/** The results of the lines: ids without the project's code, and the project's own record with lazy texts. */
export interface SummaryTarget {
  readonly foreign: ForeignIds;
  readonly texts: Pick<NodeTexts, 'withLazyTexts'>;
}

/**
 * Reads the part of a snapshot that a cold project has, and its ids into `target.foreign`. A snapshot of format 1 has
 * no summary: all of it is read. Rejects with `SnapshotError` if it ends before, or is not as it was written.
 */
export async function readSummary(
  { log, head, parts }: { readonly log: string; readonly head: Head; readonly parts: AsyncIterable<Uint8Array> },
  target: SummaryTarget,
): Promise<RestoredSummary> {
  const reader = new SummaryReader(log, head, target);
  for await (const lines of linesIn(parts)) {
    await inSlices('cold load', reader.read(lines), { project: log });
    if (reader.isComplete) break;
  }
  return reader.restored();
}

/** Reads a stored summary, as `readSummary` reads the beginning of a snapshot. Throws `SnapshotError`. */
export function summaryIn({ log, head, text }: Summary, target: SummaryTarget): RestoredSummary {
  const reader = new SummaryReader(log, head, target);
  atOnce(reader.read(text.slice(0, -1).split('\n')));
  return reader.restored();
}

class SummaryReader {
  isComplete = false;
  readonly #log: string;
  readonly #head: Head;
  readonly #target: SummaryTarget;
  #header: Header | undefined;
  #own: ColdProject['own'];
  readonly #placed: PlacedRecord[] = [];
  #count = 0;

  constructor(log: string, head: Head, target: SummaryTarget) {
    this.#log = log;
    this.#head = head;
    this.#target = target;
  }

  *read(lines: readonly string[]): Steps<void> {
    for (const text of lines) {
      this.#add(text);
      this.#count++;
      if (this.isComplete) return;
      yield;
    }
  }

  restored(): RestoredSummary {
    if (this.#header === undefined || !this.isComplete) throw new SnapshotError('it is incomplete');
    const { head, at, entry_bytes: entryBytes } = this.#header;
    return { head, at, entryBytes, placed: this.#placed, own: this.#own };
  }

  #add(text: string): void {
    const line = parsedLine(text);
    const { foreign } = this.#target;
    if ('header' in line) requireHeader((this.#header = line.header), this.#log, this.#head);
    else if ('foreign' in line) for (const id of line.foreign) foreign.add(id);
    else if ('placed' in line) {
      freezeParsed(line.placed);
      this.#placed.push({ collection: line.of, record: line.placed });
    } else if ('record' in line) this.#addRecord(line.of, line.record);
    else if ('revision' in line) foreign.add(line.revision.id);
    else if ('summary' in line || 'lines' in line) {
      requireCount('summary' in line ? line.summary : line.lines, this.#count);
      this.isComplete = true;
    }
  }

  #addRecord(collection: string, parsed: StoredRecord): void {
    const { foreign, texts } = this.#target;
    foreign.addRecord(parsed);
    if (parsed.id !== this.#log) return;
    const record = texts.withLazyTexts(this.#log, collection, parsed);
    if (record === parsed) freezeParsed(record);
    this.#own = { collection, record };
  }
}
