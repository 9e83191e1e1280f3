import { invalid, notFound } from '../../base/errors.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { artifactById, requireScreen } from './artifacts.ts';
import type {
  ArtifactRecord,
  CopyScreenInput,
  CreatePrototypeInput,
  MoveScreenInput,
  PlanReadTransaction,
  PlanTransaction,
  Prototype,
  PrototypeRecord,
  PrototypeRow,
  UpdatePrototypeInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { backlinksOf, linksOf } from '../links/edges.ts';
import { revokeSharesOf } from '../sharing/shares.ts';
import { discard } from '../records/trash.ts';

/** The default viewport in CSS pixels: a small laptop's window. */
const viewportDefault = { width: 1280, height: 800 };

/** Throws `not_found`. */
export function prototypeById(view: PlanReadTransaction, id: string): PrototypeRecord {
  const prototype = view.get('prototype', id);
  if (prototype === undefined) throw notFound('prototype', id);
  return prototype;
}

export function createPrototype(
  tx: PlanTransaction,
  { name, viewport = viewportDefault }: CreatePrototypeInput,
): PrototypeRecord {
  return tx.put('prototype', newRecord('prototype', { id: tx.newId('prototype'), created_at: tx.now, name, viewport }));
}

export function updatePrototype(
  tx: PlanTransaction,
  { prototype_id: id, project_id: _, ...fields }: UpdatePrototypeInput,
): PrototypeRecord {
  return tx.put('prototype', { ...prototypeById(tx, id), ...fields });
}

/** Deletes a prototype with its edges. Its screens stay, as artifacts. Returns the id of its entry in the trash. */
export function* deletePrototype(tx: PlanTransaction, id: string): Steps<string> {
  const { name: label } = prototypeById(tx, id);
  return yield* discard(tx, { type: 'prototype', id, label }, function* () {
    revokeSharesOf(tx, id);
    const screens = tx.by('artifact', 'prototype', id);
    yield* eachInSteps(screens, (screen) => tx.put('artifact', { ...screen, prototype_id: null }));
    yield* tx.removeInSteps('prototype', id);
  });
}

/** A prototype's screens by created_at, id. */
export function screensOf(view: PlanReadTransaction, id: string): ArtifactRecord[] {
  return view
    .by('artifact', 'prototype', id)
    .sort((a, b) => (`${a.created_at}\0${a.id}` < `${b.created_at}\0${b.id}` ? -1 : 1));
}

/** Moves a screen to another prototype. It remains the same artifact, with its comments. */
export function moveScreen(
  tx: PlanTransaction,
  { artifact_id: id, prototype_id: prototype }: MoveScreenInput,
): ArtifactRecord {
  const screen = htmlById(tx, id);
  requireScreen(tx, screen.kind, prototype);
  return tx.put('artifact', { ...screen, prototype_id: prototype });
}

/** Creates a screen with the same content in a prototype. Comments and edges stay with the original. */
export function copyScreen(
  tx: PlanTransaction,
  { artifact_id: id, prototype_id: prototype, title }: CopyScreenInput,
): ArtifactRecord {
  const screen = htmlById(tx, id);
  requireScreen(tx, screen.kind, prototype);
  return tx.put('artifact', {
    ...screen,
    id: tx.newId('artifact'),
    created_at: tx.now,
    title: title ?? screen.title,
    prototype_id: prototype,
    links: [],
  });
}

function htmlById(view: PlanReadTransaction, id: string): ArtifactRecord {
  const artifact = artifactById(view, id);
  if (artifact.kind === 'html') return artifact;
  throw invalid('artifact_id', `artifact_id is an artifact of kind ${artifact.kind}: only html can be a screen.`);
}

/** A prototype in a list. */
export function showPrototype(view: PlanReadTransaction, prototype: PrototypeRecord): Prototype {
  return shown.prototype.details(prototype, { project_id: view.project });
}

/** A prototype with its edges in both directions; the caller adds its screens. */
export function showPrototypeDetail(view: PlanReadTransaction, prototype: PrototypeRecord): Prototype {
  const { id } = prototype;
  return { ...showPrototype(view, prototype), links: linksOf(view, id), backlinks: backlinksOf(view, id) };
}

/** A prototype in an agent's list. */
export function prototypeRow(view: PlanReadTransaction, prototype: PrototypeRecord): PrototypeRow {
  return shown.prototype.row(prototype, { screens_total: view.countBy('artifact', 'prototype', prototype.id) });
}
