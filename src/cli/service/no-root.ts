import { PlannerError } from '../../base/errors.ts';

/** `where`: `in <directory> or above it`, `at <path>`. */
export function noRoot(where: string): PlannerError {
  return new PlannerError(
    'not_found',
    `There is no .planner ${where}. Create one with planner connect (or planner init, without a project), or set --root to the directory that contains it.`,
  );
}
