/** A replacement of characters of the source. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** How the mutant's id describes the change; default: what was there and what replaces it. */
  readonly shown?: string;
}
