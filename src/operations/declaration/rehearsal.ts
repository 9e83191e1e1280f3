/**
 * A rule throws it to answer without a change: the transaction is rolled back, and the call returns the value. A dry
 * run therefore finds everything that the run would find.
 */
export class Rehearsal extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super('The transaction is rolled back on purpose.');
    this.value = value;
  }
}
