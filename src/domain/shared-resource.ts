import type { StoredRecord } from '../store/record.ts';
import type { View } from '../store/view.ts';
import type { ArtifactRecord, DocumentRecord, FileRecord, PlannerCollections } from './collections.ts';
import { attributesWithUrls } from './html-urls.ts';
import { backlinksOf, linksOf } from './edges.ts';
import { gone, type ShareRecord, type ShareTarget } from './shares.ts';
import { placesOf, type SharedText } from './shared-text.ts';

type V = View<PlannerCollections>;

export interface SharedScreen {
  readonly id: string;
  readonly title: string;
  readonly html: string;
}

/** All that one share link hands out. */
export interface SharedResource {
  readonly type: ShareTarget;
  readonly title: string;
  readonly status: string | null;
  /** Of a prototype, in CSS pixels. */
  readonly viewport: { readonly width: number; readonly height: number } | null;
  /** The resource's own text first, then each document linked to it in either direction, one step. */
  readonly texts: readonly SharedText[];
  readonly screens: readonly SharedScreen[];
  /** The record of the resource and of everything shown with it: what the answer's tag is made of. */
  readonly records: readonly StoredRecord[];
}

/** What a link hands out as it is now. Throws `gone` where it was deleted. */
export function sharedResource(view: V, share: ShareRecord): SharedResource {
  const id = share.target_id ?? '';
  const documents = linkedDocuments(view, id);
  const linked = documents.map((of): SharedText => ({ of, heading: `Linked document: ${of.title}`, body: of.body }));
  if (share.target_type === 'task') {
    const of = view.get('task', id) ?? deleted(share);
    const texts = [{ of, heading: null, body: of.description }, ...linked];
    return { ...plain, type: 'task', title: of.label, status: of.status, texts, records: [of, ...documents] };
  }
  if (share.target_type === 'document') {
    const of = view.get('document', id) ?? deleted(share);
    const texts = [{ of, heading: null, body: of.body }, ...linked];
    return { ...plain, type: 'document', title: of.title, status: of.status, texts, records: [of, ...documents] };
  }
  const of = view.get('prototype', id) ?? deleted(share);
  const artifacts = screensOf(view, id);
  return {
    type: 'prototype',
    title: of.name,
    status: null,
    viewport: of.viewport,
    texts: [{ of, heading: null, body: '' }, ...linked],
    screens: artifacts.map(({ id: screen, title, content }) => ({ id: screen, title, html: content })),
    records: [of, ...artifacts, ...documents],
  };
}

const plain = { viewport: null, screens: [] };

function deleted({ target_type: type }: ShareRecord): never {
  throw gone(`The ${type} of this link was deleted.`);
}

/** Documents that a record points at, then those that point at it, each once. */
function linkedDocuments(view: V, id: string): DocumentRecord[] {
  const ids = new Set([...linksOf(view, id), ...backlinksOf(view, id)].map((entry) => entry.id));
  ids.delete(id);
  return [...ids].flatMap((one) => view.get('document', one) ?? []);
}

/** A prototype's screens by created_at, id. */
function screensOf(view: V, id: string): ArtifactRecord[] {
  return view
    .by('artifact', 'prototype', id)
    .filter(({ kind }) => kind === 'html')
    .sort((a, b) => (`${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1));
}

const filePath = /^\/api\/v1\/files\/([A-Za-z0-9_-]{1,64})$/;

/** The file of the service that a URL names, undefined where it names none of it. */
export function fileIdOf(url: string, baseUrl: string): string | undefined {
  const parsed = URL.parse(url, `${baseUrl}/`);
  return parsed?.origin === new URL(baseUrl).origin ? filePath.exec(parsed.pathname)?.[1] : undefined;
}

/** A file that is embedded in what a link hands out. Undefined for every other file. */
export function embeddedFile(
  view: V,
  resource: SharedResource,
  fileId: string,
  baseUrl: string,
): FileRecord | undefined {
  const isIt = (url: string): boolean => fileIdOf(url, baseUrl) === fileId;
  const sets = (value: string): string[] => value.split(/[\s,]+/);
  const inAttributes = (html: string): boolean =>
    attributesWithUrls(html).some(({ value, isSet }) => (isSet ? sets(value).some(isIt) : isIt(value.trim())));
  const isEmbedded =
    resource.texts.some((text) => {
      const { destinations, attributes } = placesOf(text);
      return (
        destinations.some(({ url }) => isIt(url)) ||
        attributes.some(({ value, isSet }) => (isSet ? sets(value).some(isIt) : isIt(value.trim())))
      );
    }) || resource.screens.some(({ html }) => inAttributes(html));
  return isEmbedded ? view.get('file', fileId) : undefined;
}
