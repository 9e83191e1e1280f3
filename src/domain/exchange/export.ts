import {
  type RecordBytes,
  type Revision,
  type StoredRecord,
  type ReadTransaction,
  withTexts,
} from '../../store/index.ts';
import { type Chunks, valueOf } from '../../base/slices.ts';
import { canvasRecord } from '../content/canvas.ts';
import { withMeantLinks } from '../links/edges.ts';
import type { PlannerCollections } from '../records/collections.ts';
import { consistentFolders, consistentProject, consistentTags } from './consistent.ts';
import { exported, exportFormat, keepsTime, revisionsName, type Section, sections } from './export-format.ts';
import { projectOf } from '../plan/projects.ts';

/**
 * A project as one JSON document in chunks: each record on its own line, in the order of creation. It contains the project as of the call,
 * however slowly it is read. The same project gives the same bytes. Throws `conflict` if a file's bytes are missing.
 */
export function exportProject(view: ReadTransaction<PlannerCollections>): Chunks {
  const canvas = canvasRecord(view);
  const head = {
    format: exportFormat,
    project: exported('project', consistentProject(view, projectOf(view)) as StoredRecord),
    canvas: canvas === undefined ? null : withoutId(exported('canvas', canvas)),
  };
  const lists = sections.map(({ name, collection }) => ({
    ...{ name, collection },
    records: recordsOf(view, collection),
  }));
  const contents = new Map([...view.list('file')].map(({ id }) => [id, view.bytes('file', id)]));
  return texts(head, lists, view.streamHistory({}), contents);
}

function recordsOf(
  view: ReadTransaction<PlannerCollections>,
  collection: Section['collection'],
): readonly StoredRecord[] {
  if (keepsTime(collection)) return Array.from(view.list(collection), (record) => withMeantLinks(view, record));
  if (collection === 'folder') return consistentFolders([...view.list('folder')].sort(byName));
  if (collection === 'tag') return consistentTags([...view.list('tag')].sort(byName));
  return [...view.list(collection)].sort(byName);
}

/** Records without a creation time in their files (tags, folders) have no order of creation that is the same in every clone. */
function byName(a: StoredRecord, b: StoredRecord): number {
  const key = (record: StoredRecord): string =>
    `${(record as unknown as { readonly name: string }).name}\0${record.id}`;
  return key(a) < key(b) ? -1 : 1;
}

interface List {
  readonly name: string;
  readonly collection: string;
  readonly records: readonly StoredRecord[];
}

function* texts(
  head: object,
  lists: readonly List[],
  history: AsyncIterable<readonly Revision[]>,
  contents: ReadonlyMap<string, RecordBytes | undefined>,
): Chunks {
  yield jsonOf(head).slice(0, -1);
  for (const { name, collection, records } of lists) {
    yield `,\n${JSON.stringify(name)}:[`;
    let separator = '\n';
    for (const record of records) {
      const whole = yield* valueOf(withTexts(record));
      const text = jsonOf(exported(collection, whole));
      yield separator;
      if (collection === 'file') yield* withBytes(text, contents.get(record.id));
      else yield text;
      separator = ',\n';
    }
    yield ']';
  }
  yield `,\n${JSON.stringify(revisionsName)}:[`;
  let separator = '\n';
  yield* eachOf(history, function* (revisions) {
    for (const { at, id, target, target_type, author, session, fields, before } of revisions) {
      yield separator + jsonOf({ at, id, target, target_type, author, session, fields, before });
      separator = ',\n';
    }
  });
  yield ']}\n';
}

/** JSON without unpaired surrogates, which a file may contain as escapes and an import rejects. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.length > 2 ? '\ufffd' : escape));
}

/** The chunks of each item, once it is there. */
function* eachOf<T>(items: AsyncIterable<T>, chunks: (item: T) => Iterable<string>): Chunks {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = yield* valueOf(iterator.next());
      if (next.done === true) return;
      yield* chunks(next.value);
    }
  } finally {
    // Closes the file if the reader stops.
    void iterator.return?.();
  }
}

/** A file's record with its content in base64. */
function* withBytes(text: string, content: RecordBytes | undefined): Chunks {
  yield `${text.slice(0, -1)},"content_base64":"`;
  // Three bytes make four characters: the remainder is kept for the next chunk.
  let left: Uint8Array = new Uint8Array();
  if (content !== undefined)
    yield* eachOf(content.pieces(), function* (piece) {
      const bytes = left.length === 0 ? piece : Buffer.concat([left, piece]);
      const whole = bytes.length - (bytes.length % 3);
      yield Buffer.from(bytes.buffer, bytes.byteOffset, whole).toString('base64');
      left = bytes.subarray(whole);
    });
  yield `${Buffer.from(left).toString('base64')}"}`;
}

function withoutId({ id: _, ...members }: Record<string, unknown>): object {
  return members;
}
