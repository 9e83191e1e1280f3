import type { PlannerCollections } from '../../domain/records/collections.ts';
import type {
  AnyOperation,
  ContextWith,
  ProjectCreate,
  ProjectCreateOrWrite,
  ProjectRead,
  ProjectWrite,
  ServiceRead,
  ServiceWrite,
  WorkspaceRead,
} from './operation.ts';

/** The members of the context that an operation has only if it declares them, each with its declaration. */
interface Declarations {
  readonly renderings: 'renders';
  readonly link: 'link';
  readonly presence: 'presence';
}
type Need = keyof Declarations;
type Declaring<O extends { readonly [D in Declarations[Need]]?: unknown }, N extends Need> = O &
  Required<Pick<O, Declarations[N]>>;

/**
 * Operations on Planner's collections, as the files of the catalogue declare them. `N`: the members of the context that
 * they need. `P`: the input of `run`, if `prepare` adds to it.
 */
export type Read<I, O, N extends Need = never> = Declaring<ProjectRead<PlannerCollections, I, O, ContextWith<N>>, N>;
export type Write<I, O, N extends Need = never, P = I> = Declaring<
  ProjectWrite<PlannerCollections, I, O, ContextWith<N>, P>,
  N
>;
export type CreateProject<I, O> = ProjectCreate<PlannerCollections, I, O>;
export type CreateOrUseProject<I, O, P = I> = ProjectCreateOrWrite<PlannerCollections, I, O, P>;
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
