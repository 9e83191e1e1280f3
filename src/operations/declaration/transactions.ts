import type { Collections, Store } from '../../store/index.ts';

/**
 * The part of a store that the dispatcher uses: managed transactions. In a store that does not hold every project in
 * memory, `locate` throws `Needed`, as looking up a large text does, and the caller runs again.
 */
export type Transactions<C extends Collections> = Pick<
  Store<C>,
  | 'hooked'
  | 'locate'
  | 'locateDurably'
  | 'stage'
  | 'read'
  | 'peek'
  | 'peekAll'
  | 'readAll'
  | 'readList'
  | 'unserved'
  | 'update'
  | 'updateSliced'
  | 'createProject'
  | 'createProjectSliced'
  | 'deleteProject'
  | 'readService'
  | 'findAnswer'
  | 'updateService'
  | 'onEvents'
  | 'onServiceNames'
  | 'onServiceChange'
>;
