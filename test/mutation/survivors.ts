/** A mutant that no test detects, with the reason why none has to. */
export interface Accepted {
  readonly file: string;
  /** The mutant's id, as the run prints it. */
  readonly mutant: string;
  readonly why: string;
}

/** Mutants of one file that survive for one reason. */
export function survivors(file: string, why: string, mutants: readonly string[]): Accepted[] {
  return mutants.map((mutant) => ({ file, mutant, why }));
}
