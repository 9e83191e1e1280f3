/**
 * What a rule throws to answer although nothing shall change: the transaction is rolled back, and the call returns the value. A dry run
 * therefore finds what the run would find.
 */
export class Rehearsal extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super('The transaction is rolled back on purpose.');
    this.value = value;
  }
}
