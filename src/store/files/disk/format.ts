import { conflict } from '../../../base/errors.ts';
import { isObject } from '../../../base/is-object.ts';
import type { Disk } from './disk.ts';
import { DurableJson } from './durable-json.ts';
import type { Migration } from './migration.ts';
import type { RootLayout } from './root-layout.ts';

/**
 * The format of a root whose config.json contains none: only a person removes it, and the first format is the only one
 * without a predecessor.
 */
export const firstFormat = 1;

/** The members of config.json that determine how a root is read. */
export interface FormatSettings {
  readonly format?: unknown;
  /** The first version of Planner that reads the format; written for every format after the first. */
  readonly planner?: unknown;
}

/** The format that this version of Planner writes. */
export function currentFormat(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.to ?? firstFormat;
}

/** A root's config.json, possibly empty. Throws `UnreadableFileError` if it is not JSON. */
export function readFormatSettings(disk: Disk, layout: RootLayout): FormatSettings {
  const settings = new DurableJson<unknown>(disk, `${layout.root}/config.json`).readNow();
  return isObject(settings) ? settings : {};
}

/**
 * The format of a root. Throws `conflict` for a format that this version, which reads formats up to `current`, cannot
 * read; nothing is changed then.
 */
export function formatOf({ format = firstFormat, planner }: FormatSettings, current: number): number {
  if (typeof format !== 'number' || !Number.isInteger(format) || format < firstFormat) {
    throw conflict(
      `.planner/config.json has format ${JSON.stringify(format)}; it must be a whole number from ${firstFormat}. Restore the former value (git has it), or set ${current} if this Planner wrote all files. Nothing was changed.`,
      { path: '.planner/config.json', field: 'format' },
    );
  }
  if (format <= current) return format;
  const version = typeof planner === 'string' ? planner : undefined;
  const writer = version === undefined ? 'a newer Planner' : `Planner ${version} or a newer one`;
  throw conflict(
    `.planner/config.json has format ${format}, written by ${writer}; this Planner reads formats up to ${current}. Install ${writer} from npm, or check out a commit from before the upgrade. Nothing was changed.`,
    {
      path: '.planner/config.json',
      format,
      format_max: current,
      ...(version === undefined ? {} : { planner: version }),
    },
  );
}

/** Rejects a root of a newer format before anything is changed. */
export function requireKnownFormat(disk: Disk, layout: RootLayout, migrations: readonly Migration[]): void {
  formatOf(readFormatSettings(disk, layout), currentFormat(migrations));
}
