import { draftOf } from '../domain/exchange/draft-of.ts';
import { importProject } from '../domain/exchange/import.ts';
import { showProject } from '../domain/plan/projects.ts';
import type { CreateSampleProjectInput, PlannerCollections, ProjectAnswer } from '../domain/records/collections.ts';
import { samplePlan } from '../domain/sample/sample-plan.ts';
import { atOnce, type Steps } from '../base/slices.ts';
import type { Tx } from '../store/index.ts';
import type { CreateProject, PlannerOperation } from './declaration/planner-operation.ts';
import { groups } from './groups.ts';

const defaultName = 'Pottery shop';

function* makeSample(
  tx: Tx<PlannerCollections>,
  { name = defaultName }: CreateSampleProjectInput,
): Steps<ProjectAnswer> {
  const { project, ...plan } = samplePlan(Date.parse(tx.now));
  return { project: showProject(yield* importProject(tx, draftOf({ ...plan, project: { ...project, name } }), false)) };
}

/**
 * An operation for people who look at Planner for the first time: it creates a plan to try everything in, and to
 * delete.
 */
const createSample: CreateProject<CreateSampleProjectInput, ProjectAnswer> = {
  name: 'create_sample_project',
  summary: 'Create a project with a sample plan',
  group: groups.projects,
  input: 'CreateSampleProjectInput',
  output: 'ProjectAnswer',
  scope: 'project',
  effect: 'create',
  rest: { method: 'POST', path: '/projects/sample', bare: 'project' },
  projectName: ({ name = defaultName }) => name,
  run: (tx, input) => atOnce(makeSample(tx, input)),
  sliced: { when: () => true, run: makeSample },
};

export const sampleOperations: readonly PlannerOperation[] = [createSample];
