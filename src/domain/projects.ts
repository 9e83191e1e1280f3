import { invalid, notFound } from '../errors.ts';
import type { Tx, View } from '../store/index.ts';
import type {
  CreateProjectInput,
  PlannerCollections,
  Project,
  ProjectRecord,
  ProjectSummary,
  UpdateProjectInput,
} from './records/collections.ts';
import { newRecord } from './records/collections.ts';
import { createDefaultGoal } from './goals.ts';
import { projectViolations, type RepositoryFields } from './records/project-fields.ts';

/** The record of the transaction's project. Throws `not_found` while its file is missing. */
export function projectOf(view: View<PlannerCollections>): ProjectRecord {
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

function requireRepositoryFields(view: View<PlannerCollections>, fields: RepositoryFields): void {
  const [first, ...others] = projectViolations(fields);
  if (first !== undefined) throw invalid(first.field, first.message, { details: [first, ...others] });
  const linked = typeof fields.folder_path === 'string' ? view.linkedPart(fields.folder_path) : undefined;
  if (linked === undefined) return;
  throw invalid('folder_path', `folder_path leads through the symbolic link ${linked}: name the directory itself.`);
}

const statuses = ['scope', 'todo', 'in_progress', 'done', 'backlog'] as const;

/** The counts of a project. Time proportional to the number of statuses, not of tasks. */
export function summaryOf(view: View<PlannerCollections>): ProjectSummary {
  const tasks = Object.fromEntries(statuses.map((status) => [status, view.countBy('task', 'status', status)]));
  return {
    tasks: tasks as unknown as ProjectSummary['tasks'],
    documents: view.count('document'),
    goals: view.count('goal'),
    notes: view.count('note'),
    artifacts: view.count('artifact'),
    prototypes: view.count('prototype'),
    open_comments: view.countBy('comment', 'resolved', 'no'),
    pending_submissions: view.countBy('submission', 'status', 'pending'),
    problems: view.problems.length,
  };
}

/** A project as callers see it. */
export function showProject(project: ProjectRecord): Project {
  const { id, name, description, repo_url, folder_path, default_goal_id, created_at, updated_at } = project;
  return { id, name, description, repo_url, folder_path, default_goal_id, created_at, updated_at };
}
