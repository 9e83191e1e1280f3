import { byCreation } from '../../store/index.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { Steps } from '../../base/slices.ts';
import type {
  CreateViewInput,
  PlanReadTransaction,
  PlanTransaction,
  UpdateViewInput,
  View,
  ViewRecord,
  ViewRow,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { discard } from '../records/trash.ts';

/** Throws `not_found`. */
export function viewById(view: PlanReadTransaction, id: string): ViewRecord {
  const found = view.get('view', id);
  if (found === undefined) throw notFound('view', id);
  return found;
}

/** Creates a view, after the others if no position is given. */
export function createView(tx: PlanTransaction, { name, config = {}, position }: CreateViewInput): ViewRecord {
  requireSmall(config);
  const id = tx.newId('view');
  const fields = { name, config, position: position ?? behindAll(tx) };
  return tx.put('view', newRecord('view', { id, created_at: tx.now, ...fields }));
}

export function updateView(
  tx: PlanTransaction,
  { view_id: id, project_id: _, ...fields }: UpdateViewInput,
): ViewRecord {
  const former = viewById(tx, id);
  if (fields.config !== undefined) requireSmall(fields.config);
  return tx.put('view', { ...former, ...fields });
}

/** Deletes a view. Returns the id of its entry in the trash. */
export function* deleteView(tx: PlanTransaction, id: string): Steps<string> {
  const { name: label } = viewById(tx, id);
  return yield* discard(tx, { type: 'view', id, label }, () => tx.removeInSteps('view', id));
}

function requireSmall(config: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(config));
  if (bytes <= limits.viewConfigBytesMax) return;
  throw invalid('config', `config has ${bytes} bytes as JSON; the maximum is ${limits.viewConfigBytesMax}.`);
}

function behindAll(view: PlanReadTransaction): number {
  let last = -1;
  for (const { position } of view.list('view')) last = Math.max(last, position);
  return Math.floor(last) + 1;
}

/** The fields that determine a view's position in the list. */
export type Placed = Pick<ViewRecord, 'position' | 'created_at' | 'id'>;

/** The order of views: by position, then by creation. */
export function viewOrder(a: Placed, b: Placed): number {
  if (a.position !== b.position) return a.position - b.position;
  return byCreation(a, b);
}

/** A view in the form for callers. */
export function showView(view: PlanReadTransaction, saved: ViewRecord): View {
  return shown.view.details(saved, { project_id: view.project });
}

/** A view in an agent's list. */
export function viewRow(saved: ViewRecord): ViewRow {
  return shown.view.row(saved);
}

/** A row of a view whose config alone is too large for an agent. */
export function shortViewRow(saved: ViewRecord): ViewRow {
  const { config: _, ...row } = shown.view.row(saved);
  return row;
}
