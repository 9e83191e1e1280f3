import type { ReactElement, ReactNode } from 'react';
import type { Entry, Tab } from './entries.ts';

/** An action on the selected entry, by button or key. */
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
  /** Selects the next entry. */
  readonly goOn: () => void;
}

export interface Actions {
  readonly actions: readonly Action[];
  /** The open dialogs. */
  readonly windows: ReactNode;
}
