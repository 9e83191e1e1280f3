import type { Peers } from './peers.ts';

/** The context of a figure: how thorough to be, and where it may write. */
export interface Bench {
  /** Small sizes and one short round: shows that a figure works, not how fast the product is. */
  readonly quick: boolean;
  /** Only the lines of a figure whose names contain this, if the figure can measure them one by one. */
  readonly match?: string | undefined;
  /** Creates a directory for the figure; it is removed when the figure is done. */
  readonly scratch: (name: string) => string;
  /** Packages that are measured beside the product, installed on first use. */
  readonly peers: Peers;
  /** One line of progress. */
  readonly say: (text: string) => void;
}

/** One number, measured in several rounds. `value` is the median of them. */
export interface Measured {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  readonly rounds: readonly number[];
}

/** The target of a figure. `ratio` is product ÷ yardstick if there is a yardstick, else the product's own value. */
export interface Target {
  readonly text: string;
  readonly reached: boolean;
}

/** What a value has to reach. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** One line of the table: the product beside its yardstick. */
export interface Row {
  readonly product: Measured;
  readonly yardstick?: Measured;
  /** product ÷ yardstick. */
  readonly ratio?: number;
  /** Absent if the line is for information only. */
  readonly target?: Target;
  /** A target in the unit of the product, a time or a rate, for a machine on which `node -e 0` takes 30 ms. */
  readonly ofTime?: Bound;
  /** Further numbers of the same rounds, with units in their names. */
  readonly also?: Readonly<Record<string, number | string>>;
}

export interface Figure {
  /** The value of `--only`. */
  readonly name: string;
  readonly title: string;
  /** Measured only with `--peers`. */
  readonly peersOnly?: boolean;
  readonly measure: (bench: Bench) => Promise<readonly Row[]>;
}
