import type { PlannerCollections } from '../../domain/records/collections.ts';
import type {
  AnyOperation,
  CreateProjectOperation,
  ReadOperation,
  ServiceReadOperation,
  ServiceWriteOperation,
  WorkspaceOperation,
  WriteOperation,
} from './operation.ts';

/** Operations on Planner's own collections: what the catalogue's files declare. */
export type Read<I, O> = ReadOperation<PlannerCollections, I, O>;
export type Write<I, O> = WriteOperation<PlannerCollections, I, O>;
export type CreateProject<I, O> = CreateProjectOperation<PlannerCollections, I, O>;
export type ReadAll<I, O> = WorkspaceOperation<PlannerCollections, I, O>;
export type ReadService<I, O> = ServiceReadOperation<I, O>;
export type WriteService<I, O> = ServiceWriteOperation<I, O>;
export type PlannerOperation = AnyOperation<PlannerCollections>;
