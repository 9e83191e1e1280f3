import type { Collections, Store } from '../../store/index.ts';

/** The part of a store that the dispatcher uses: managed transactions. */
export type Transactions<C extends Collections> = Pick<
  Store<C>,
  | 'locate'
  | 'locateDurably'
  | 'stage'
  | 'read'
  | 'readAtOnce'
  | 'readAll'
  | 'unserved'
  | 'update'
  | 'updateAtOnce'
  | 'updateSliced'
  | 'createProject'
  | 'createProjectSliced'
  | 'deleteProject'
  | 'readService'
  | 'updateService'
  | 'onEvents'
  | 'onServiceNames'
>;
