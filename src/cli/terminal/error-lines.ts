import type { CommanderError } from 'commander';
import { PlannerError } from '../../base/errors.ts';
import { JournalCorruptError, UnreadableFileError } from '../../store/index.ts';
import type { Disk, Violation } from '../../store/index.ts';
import { withOtherWord } from './other-words.ts';
import { systemError } from './system-errors.ts';

/** An error whose message is sufficient, so that it is printed without a stack; undefined for a defect. */
export function forPeople(thrown: unknown, disk: Disk): Error | undefined {
  const isReadable =
    thrown instanceof PlannerError || thrown instanceof UnreadableFileError || thrown instanceof JournalCorruptError;
  return isReadable ? thrown : systemError(thrown, disk);
}

/** The text of an error for a person: its message, then every further violation, one a line. */
export function errorText(error: Error): string {
  return [`planner: ${error.message}`, ...furtherViolations(error).map((message) => `  ${message}`)].join('\n');
}

function furtherViolations(error: Error): readonly string[] {
  const violations = error instanceof PlannerError ? error.details['details'] : undefined;
  if (!Array.isArray(violations)) return [];
  const messages = (violations as readonly Violation[]).map(({ message }) => message);
  return messages.filter((message) => !error.message.startsWith(message));
}

/** Returns whether an option, an argument or a variable itself is invalid, not the resource that it names. */
export function isUsage(error: Error): boolean {
  if (!(error instanceof PlannerError)) return false;
  return error.details['usage'] === true || /^(?:--|PLANNER_)/.test(error.field ?? '');
}

export function usageJson({ message }: CommanderError): object {
  return new PlannerError('invalid_argument', withOtherWord(message).replace(/^error: /, '')).toJSON();
}

export function errorJson(error: Error): object {
  if (!(error instanceof PlannerError)) return { error: 'conflict', message: error.message };
  const { usage: _, exit: __, ...body } = error.toJSON();
  return body;
}
