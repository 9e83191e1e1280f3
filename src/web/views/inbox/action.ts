import type { ReactElement, ReactNode } from 'react';
import type { Entry, Tab } from './entries.ts';

/** Something that can be done with what is chosen, by its button or its key. */
export interface Action {
  readonly keys: string;
  readonly name: string;
  readonly icon: ReactElement;
  readonly look?: 'primary' | 'danger';
  readonly run: () => void;
}

export interface ActionsOptions<E extends Entry = Entry> {
  readonly projectId: string;
  readonly tab: Tab;
  readonly entry: E | undefined;
  /** Chooses what comes next. */
  readonly goOn: () => void;
}

export interface Actions {
  readonly actions: readonly Action[];
  /** What was opened to ask for more. */
  readonly windows: ReactNode;
}
