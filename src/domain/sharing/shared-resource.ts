import type { StoredRecord } from '../../store/index.ts';
import type { ArtifactRecord, DocumentRecord, PlanReadTransaction } from '../records/collections.ts';
import { backlinksOf, linksOf } from '../links/edges.ts';
import { guestMark, type GuestMark } from '../records/guest-texts.ts';
import { gone, type ShareRecord, type ShareTarget } from './shares.ts';
import type { SharedText } from '../text/shared-text.ts';
import { sourceText } from '../text/source-text.ts';
import type { SourceText } from '../text/source-text.ts';

/** An artifact of HTML. */
export interface SharedScreen {
  readonly id: string;
  readonly title: string;
  readonly source: SourceText;
}

/** The content to which a share link gives access. */
export interface SharedResource {
  readonly type: ShareTarget;
  readonly title: string;
  readonly status: string | null;
  /** The viewport of a prototype, in CSS pixels. */
  readonly viewport: { readonly width: number; readonly height: number } | null;
  /** The resource's own text first, then each document linked to it directly, in either direction. */
  readonly texts: readonly SharedText[];
  readonly screens: readonly SharedScreen[];
  /** The resource and everything shown with it, each with its fields that are shown: the response's entity tag is of these. */
  readonly shown: readonly Shown[];
  /** Present if a guest wrote the texts of the task. */
  readonly mark?: GuestMark | undefined;
}

interface Shown {
  readonly record: StoredRecord;
  readonly fields: readonly string[];
}

const shownFields = {
  task: ['label', 'status', 'description'],
  document: ['title', 'status', 'body'],
  prototype: ['name', 'viewport'],
  screen: ['id', 'title', 'content'],
  linked: ['id', 'title', 'body'],
} as const;

function shownOf(kind: keyof typeof shownFields, ...records: readonly StoredRecord[]): Shown[] {
  return records.map((record) => ({ record, fields: shownFields[kind] }));
}

/** The resource of a link in its current state. Throws `gone` if it was deleted. */
export function sharedResource(view: PlanReadTransaction, share: ShareRecord): SharedResource {
  const id = share.target_id ?? '';
  const documents = linkedDocuments(view, id);
  const linked = documents.map((of) => textOf(of, 'body', { id: of.id, title: of.title }));
  const linkedShown = shownOf('linked', ...documents);
  if (share.target_type === 'task') {
    const of = view.get('task', id) ?? deleted(share);
    const texts = [textOf(of, 'description', null), ...linked];
    const { label: title, status } = of;
    const shown = [...shownOf('task', of), ...linkedShown];
    return { ...plain, type: 'task', title, status, texts, shown, mark: guestMark(view, of) };
  }
  if (share.target_type === 'document') {
    const of = view.get('document', id) ?? deleted(share);
    const texts = [textOf(of, 'body', null), ...linked];
    const shown = [...shownOf('document', of), ...linkedShown];
    return { ...plain, type: 'document', title: of.title, status: of.status, texts, shown };
  }
  const of = view.get('prototype', id) ?? deleted(share);
  const artifacts = screensOf(view, id);
  return {
    type: 'prototype',
    title: of.name,
    status: null,
    viewport: of.viewport,
    texts: [{ heading: null, document: null, source: { body: '' } }, ...linked],
    screens: artifacts.map((one) => ({ id: one.id, title: one.title, source: sourceText(one, 'content') })),
    shown: [...shownOf('prototype', of), ...shownOf('screen', ...artifacts), ...linkedShown],
  };
}

function textOf<F extends string>(
  of: StoredRecord & Readonly<Record<F, string>>,
  field: F,
  document: SharedText['document'],
): SharedText {
  const heading = document === null ? null : `Linked document: ${document.title}`;
  return { heading, document, source: sourceText(of, field) };
}

const plain = { viewport: null, screens: [] };

function deleted({ target_type: type }: ShareRecord): never {
  throw gone(`The ${type} of this link was deleted.`);
}

/** Documents that a record links to, then documents that link to it, each once. */
function linkedDocuments(view: PlanReadTransaction, id: string): DocumentRecord[] {
  const ids = new Set([...linksOf(view, id), ...backlinksOf(view, id)].map((entry) => entry.id));
  ids.delete(id);
  return [...ids].flatMap((one) => view.get('document', one) ?? []);
}

/** A prototype's screens by created_at, id. */
function screensOf(view: PlanReadTransaction, id: string): ArtifactRecord[] {
  return view
    .by('artifact', 'prototype', id)
    .filter(({ kind }) => kind === 'html')
    .sort((a, b) => (`${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1));
}
