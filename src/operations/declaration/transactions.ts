import type { Collections, Store } from '../../store/index.ts';

/** What the dispatcher needs of a store: managed transactions, nothing else. */
export type Transactions<C extends Collections> = Pick<
  Store<C>,
  | 'locate'
  | 'locateDurably'
  | 'stage'
  | 'read'
  | 'readAll'
  | 'update'
  | 'updateSliced'
  | 'createProject'
  | 'createProjectSliced'
  | 'deleteProject'
  | 'readService'
  | 'updateService'
>;
