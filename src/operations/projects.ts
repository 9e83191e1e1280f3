import type {
  CreateProjectInput,
  GetProjectInput,
  ListProjectsInput,
  PlannerCollections,
  PlanReadTransaction,
  Problem,
  ProjectAnswer,
  ProjectDetailAnswer,
  ProjectInput,
  ProjectListAnswer,
  ProjectRecord,
  UpdateProjectInput,
} from '../domain/records/collections.ts';
import { createProject, projectOf, showProject, summaryOf, updateProject } from '../domain/plan/projects.ts';
import { groups } from './groups.ts';
import { hashOf, ownTag } from './pipeline/entity-tag.ts';
import { isCurrent } from './pipeline/list-tag.ts';
import type { ProjectDelete, Tag, Workspace } from './declaration/operation.ts';
import { nextCursor, pageOf, type Position, positionAfter, positionOf } from './pipeline/page.ts';
import { byCreation } from '../store/index.ts';
import type { CreateProject, PlannerOperation, Read, ReadAll, Write } from './declaration/planner-operation.ts';
import { Sliced } from './declaration/sliced.ts';
import { projectContents } from './project-contents.ts';
import { showProblem } from './remedies.ts';

/** Projects with a readable record, by created_at, id. */
function records({ list: kept, projects }: Workspace<PlannerCollections>, after?: Position): Iterable<ProjectRecord> {
  if (kept !== undefined) return kept.list(after);
  const all = projects.map((view) => view.get('project', view.project)).filter((project) => project !== undefined);
  return after === undefined ? all : all.filter((project) => byCreation(project, after) > 0);
}

/** The files of projects that a person has to restore or repair, by path. */
function problemsOf({ projects, unserved }: Workspace<PlannerCollections>): Problem[] {
  const own = projects.flatMap((view) => view.problemOf(view.project) ?? []);
  return [...unserved, ...own].map(showProblem).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function projectsTag(workspace: Workspace<PlannerCollections>): Tag {
  const rows = workspace.list?.version ?? Array.from(records(workspace), ownTag);
  const problems = problemsOf(workspace);
  return { own: hashOf(problems.length === 0 ? rows : [rows, problems]), rest: '0' };
}

const list: ReadAll<ListProjectsInput, ProjectListAnswer> = {
  name: 'list_projects',
  summary: 'All projects',
  group: groups.projects,
  input: 'ListProjectsInput',
  output: 'ProjectListAnswer',
  scope: 'workspace',
  effect: 'read',
  rest: { method: 'GET', path: '/projects' },
  mcp: {
    title: 'List projects',
    description: 'The projects you may see, with their ids. Call it first when no project is bound; then get_project.',
  },
  listsOnly: () => true,
  tag: projectsTag,
  run: (workspace, input, context) => {
    if (isCurrent(input, projectsTag(workspace))) return { projects: [], removed: [] };
    const after = positionAfter(input);
    const page = pageOf(records(workspace, after), input, context, { show: showProject, position: positionOf });
    const problems = after === undefined ? problemsOf(workspace) : [];
    return { projects: page.rows, ...(problems.length > 0 && { problems }), ...nextCursor(page) };
  },
};

/** Rest: the counts, which change with any record. */
function projectTag(view: PlanReadTransaction): Tag {
  return { own: ownTag(projectOf(view)), rest: hashOf(summaryOf(view)) };
}

const get: Read<GetProjectInput, ProjectDetailAnswer> = {
  name: 'get_project',
  summary: 'One project with its counts',
  group: groups.projects,
  input: 'GetProjectInput',
  output: 'ProjectDetailAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id', bare: 'project' },
  mcp: {
    title: 'Get project',
    texts: true,
    description:
      'A project at a glance: counts, tasks and documents as light rows, and the canvas, each cut at 100 with its total. Then list_goals, or invoke_goal to begin work.',
  },
  tag: projectTag,
  run: (view, input, context) => {
    const project = { ...showProject(projectOf(view)), summary: summaryOf(view) };
    if (context.transport !== 'mcp') return { project };
    return Sliced.of(projectContents(view, input), ({ next_cursor: cursor, ...contents }) => ({
      project: { ...project, ...contents },
      ...(cursor === undefined ? undefined : { next_cursor: cursor }),
    }));
  },
};

const create: CreateProject<CreateProjectInput, ProjectAnswer> = {
  name: 'create_project',
  summary: 'Create a project with the default goal General',
  group: groups.projects,
  input: 'CreateProjectInput',
  output: 'ProjectAnswer',
  scope: 'project',
  effect: 'create',
  rest: {
    method: 'POST',
    path: '/projects',
    bare: 'project',
    example: { name: 'Web shop', description: 'Sell what the workshop makes.' },
  },
  mcp: {
    title: 'Create project',
    texts: true,
    description:
      'Creates an empty project with the default goal General. Returns {project}; continue with create_goal and create_task.',
  },
  projectName: ({ name }) => name,
  run: (tx, input) => ({ project: showProject(createProject(tx, input)) }),
};

const update: Write<UpdateProjectInput, ProjectAnswer> = {
  name: 'update_project',
  summary: 'Change a project',
  group: groups.projects,
  input: 'UpdateProjectInput',
  output: 'ProjectAnswer',
  scope: 'project',
  effect: 'write',
  rest: { method: 'PATCH', path: '/projects/:project_id', bare: 'project' },
  mcp: {
    title: 'Update project',
    texts: true,
    description: 'Changes the name, description, repo_url or folder_path of a project; null clears the last three.',
    idempotent: true,
  },
  tag: projectTag,
  run: (tx, input) => ({ project: showProject(updateProject(tx, input)) }),
};

const remove: ProjectDelete<ProjectInput> = {
  name: 'delete_project',
  summary: 'Delete a project with everything in it',
  group: groups.projects,
  input: 'ProjectInput',
  scope: 'project',
  effect: 'delete',
  peopleOnly: true,
  rest: { method: 'DELETE', path: '/projects/:project_id' },
};

export const projectOperations: readonly PlannerOperation[] = [list, get, create, update, remove];
