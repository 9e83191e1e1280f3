import { invalid, notFound } from '../../base/errors.ts';
import type { Tx, ReadTransaction } from '../../store/index.ts';
import type {
  CreateProjectInput,
  PlannerCollections,
  Project,
  ProjectRecord,
  ProjectSummary,
  UpdateProjectInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { counts } from '../records/declared.ts';
import type { Count } from '../records/declared.ts';
import { resultMembers, shown } from '../records/shown.ts';
import { createDefaultGoal } from './goals.ts';
import { askingRuns } from './runs.ts';
import { projectViolations, type RepositoryFields } from '../records/project-fields.ts';

/** The record of the transaction's project. Throws `not_found` while its file is missing. */
export function projectOf(view: ReadTransaction<PlannerCollections>): ProjectRecord {
  const project = view.get('project', view.project);
  if (project === undefined) throw notFound('project', view.project);
  return project;
}

/** Initialises a new, empty project: its record and its default goal, General. */
export function createProject(tx: Tx<PlannerCollections>, input: CreateProjectInput): ProjectRecord {
  requireRepositoryFields(tx, input);
  const goal = createDefaultGoal(tx);
  const fields = { ...input, default_goal_id: goal.id };
  return tx.put('project', newRecord('project', { id: tx.project, created_at: tx.now, ...fields }));
}

export function updateProject(tx: Tx<PlannerCollections>, input: UpdateProjectInput): ProjectRecord {
  const { project_id: _, ...fields } = input;
  requireRepositoryFields(tx, fields);
  return tx.put('project', { ...projectOf(tx), ...fields });
}

function requireRepositoryFields(view: ReadTransaction<PlannerCollections>, fields: RepositoryFields): void {
  const [first, ...others] = projectViolations(fields);
  if (first !== undefined) throw invalid(first.field, first.message, { details: [first, ...others] });
  const linked = typeof fields.folder_path === 'string' ? view.linkedPart(fields.folder_path) : undefined;
  if (linked === undefined) return;
  throw invalid(
    'folder_path',
    `folder_path leads through the symbolic link ${linked}: use the path of the directory itself.`,
  );
}

/** The counts of a project, as collections declare them. Time proportional to the number of statuses and running runs, not of tasks. */
export function summaryOf(view: ReadTransaction<PlannerCollections>): ProjectSummary {
  const valueOf = (name: keyof ProjectSummary): unknown => {
    if (name === 'problems') return view.problems.filter(({ severity }) => severity !== 'note').length;
    if (name === 'awaiting_review') return view.countBy('task', 'review', 'yes') + askingRuns(view);
    return countOf(view, counts[name]);
  };
  return Object.fromEntries(
    resultMembers.ProjectSummary.map((name) => [name, valueOf(name)]),
  ) as unknown as ProjectSummary;
}

function countOf(
  view: ReadTransaction<PlannerCollections>,
  { collection, index, keys }: Count,
): number | Readonly<Record<string, number>> {
  if (index === undefined || keys === undefined) return view.count(collection);
  if (typeof keys === 'string') return view.countBy(collection, index, keys);
  return Object.fromEntries(keys.map((key) => [key, view.countBy(collection, index, key)]));
}

/** A project in the form for callers. */
export function showProject(project: ProjectRecord): Project {
  return shown.project.details(project);
}
