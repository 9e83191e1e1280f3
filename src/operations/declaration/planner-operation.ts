import type { PlannerCollections } from '../../domain/records/collections.ts';
import type {
  AnyOperation,
  ProjectCreate,
  ProjectCreateOrWrite,
  ProjectRead,
  ProjectWrite,
  ServiceRead,
  ServiceWrite,
  WorkspaceRead,
} from './operation.ts';

/** Operations on Planner's collections, as the files of the catalogue declare them. */
export type Read<I, O> = ProjectRead<PlannerCollections, I, O>;
export type Write<I, O> = ProjectWrite<PlannerCollections, I, O>;
export type CreateProject<I, O> = ProjectCreate<PlannerCollections, I, O>;
export type CreateOrUseProject<I, O> = ProjectCreateOrWrite<PlannerCollections, I, O>;
export type ReadAll<I, O> = WorkspaceRead<PlannerCollections, I, O>;
export type ReadService<I, O> = ServiceRead<I, O>;
export type WriteService<I, O> = ServiceWrite<I, O>;
export type PlannerOperation = AnyOperation<PlannerCollections>;

/**
 * Returns whether calls name their project with `project_id`. Others find it by a resource's id, or work across
 * projects.
 */
export function takesProject({ scope, effect, locate }: PlannerOperation): boolean {
  return scope === 'project' && locate === undefined && (effect === 'read' || effect === 'write');
}
