/**
 * What a rule throws to answer although nothing shall change: the transaction is rolled back, and the call returns the value. A dry run
 * therefore finds what the run would find.
 */
export class Rehearsal {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}
