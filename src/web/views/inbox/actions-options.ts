import type { Entry, Tab } from './entries.ts';

export interface ActionsOptions<E extends Entry = Entry> {
  readonly projectId: string;
  readonly tab: Tab;
  readonly entry: E | undefined;
  /** Selects the next entry. */
  readonly goOn: () => void;
}
