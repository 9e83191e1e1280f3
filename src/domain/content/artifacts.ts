import { invalid, notFound } from '../../base/errors.ts';
import type { Steps } from '../../base/slices.ts';
import type {
  Artifact,
  ArtifactRecord,
  ArtifactRow,
  CreateArtifactInput,
  PlanReadTransaction,
  PlanTransaction,
  UpdateArtifactInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { removeWithComments } from '../links/comments.ts';
import { backlinksOf, linksOf } from '../links/edges.ts';
import { discard } from '../records/trash.ts';

/** Throws `not_found`. */
export function artifactById(view: PlanReadTransaction, id: string): ArtifactRecord {
  const artifact = view.get('artifact', id);
  if (artifact === undefined) throw notFound('artifact', id);
  return artifact;
}

/** Creates an artifact; with a prototype, one of its screens. */
export function createArtifact(tx: PlanTransaction, input: Omit<CreateArtifactInput, 'project_id'>): ArtifactRecord {
  const { title, kind = 'markdown', content = '', prototype_id: prototype = null } = input;
  requireScreen(tx, kind, prototype);
  const id = tx.newId('artifact');
  const fields = { title, kind, content, prototype_id: prototype };
  return tx.put('artifact', newRecord('artifact', { id, created_at: tx.now, ...fields }));
}

/** Updates an artifact in place: its comments and the links to it remain. */
export function updateArtifact(
  tx: PlanTransaction,
  { artifact_id: id, project_id: _, ...fields }: UpdateArtifactInput,
): ArtifactRecord {
  const former = artifactById(tx, id);
  const artifact = { ...former, ...fields };
  if (fields.kind !== undefined || fields.prototype_id !== undefined)
    // A prototype that its file names and that is gone does not count; one that a caller names has to exist.
    requireScreen(tx, artifact.kind, fields.prototype_id ?? shownPrototype(tx, artifact));
  return tx.put('artifact', artifact);
}

/** Deletes an artifact with its edges and the comments on it. Returns the id of its entry in the trash. */
export function* deleteArtifact(tx: PlanTransaction, id: string): Steps<string> {
  const artifact = artifactById(tx, id);
  return yield* discard(tx, { type: 'artifact', id, label: artifact.title }, () =>
    removeWithComments(tx, 'artifact', id),
  );
}

/** Throws unless a screen is HTML and its prototype exists in the project. */
export function requireScreen(view: PlanReadTransaction, kind: ArtifactRecord['kind'], prototype: string | null): void {
  if (prototype === null) return;
  if (view.get('prototype', prototype) === undefined)
    throw invalid(
      'prototype_id',
      `prototype_id must be the id of a prototype of this project: ${JSON.stringify(prototype)}.`,
    );
  if (kind === 'html') return;
  throw invalid(
    'kind',
    'kind must be html: the screens of a prototype are HTML. Without a prototype_id it may be markdown.',
  );
}

/** Null if the prototype does not exist. */
export function shownPrototype(
  view: PlanReadTransaction,
  { prototype_id: id }: Pick<ArtifactRecord, 'prototype_id'>,
): string | null {
  return id !== null && view.get('prototype', id) === undefined ? null : id;
}

/** An artifact with its edges in both directions, without its content if `content` is false. */
export function showArtifact(view: PlanReadTransaction, artifact: ArtifactRecord, { content = true } = {}): Artifact {
  const { id } = artifact;
  const added = {
    project_id: view.project,
    prototype_id: shownPrototype(view, artifact),
    links: linksOf(view, id),
    backlinks: backlinksOf(view, id),
  };
  return content ? shown.artifact.details(artifact, added) : shown.artifact.head(artifact, added);
}

/** An artifact in a list. */
export function artifactRow(artifact: ArtifactRecord): ArtifactRow {
  return shown.artifact.row(artifact);
}
