import { PlannerError } from '../../base/errors.ts';

/** Runs a part of a command whose errors mean an exit code. */
export async function exitingWith<T>(exit: number, part: () => Promise<T>): Promise<T> {
  try {
    return await part();
  } catch (thrown) {
    if (!(thrown instanceof PlannerError)) throw thrown;
    throw new PlannerError(thrown.code, thrown.message, { ...thrown.details, exit });
  }
}
