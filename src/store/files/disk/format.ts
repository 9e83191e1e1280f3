import { conflict } from '../../../errors.ts';
import type { Disk } from './disk.ts';
import { DurableJson } from './durable-json.ts';
import type { Migration } from './migration.ts';
import type { RootLayout } from './root-layout.ts';

/** What a root is of whose config.json names no format: nobody but a person leaves it out, and the first is the one that had no other before it. */
export const firstFormat = 1;

/** The parts of config.json that say how a root is to be read. */
export interface FormatSettings {
  readonly format?: unknown;
  /** The first version of Planner that reads the format; written with every format behind the first. */
  readonly planner?: unknown;
}

/** The format that this Planner writes. */
export function currentFormat(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.to ?? firstFormat;
}

/** A root's config.json; empty where there is none. Throws `UnreadableFileError` where it is not JSON. */
export function readFormatSettings(disk: Disk, layout: RootLayout): FormatSettings {
  const settings = new DurableJson<unknown>(disk, `${layout.root}/config.json`).readNow();
  return typeof settings === 'object' && settings !== null && !Array.isArray(settings) ? settings : {};
}

/**
 * The format that a root is of. Throws `conflict` for one that this Planner, which reads formats up to `current`, cannot read; nothing is
 * touched then.
 */
export function formatOf({ format = firstFormat, planner }: FormatSettings, current: number): number {
  if (typeof format !== 'number' || !Number.isInteger(format) || format < firstFormat) {
    throw conflict(
      `.planner/config.json says format ${JSON.stringify(format)}; it is a whole number from ${firstFormat}. Put back what stood there (git has it), or ${current} where all files are of this Planner. Nothing was changed.`,
      { path: '.planner/config.json', field: 'format' },
    );
  }
  if (format <= current) return format;
  const version = typeof planner === 'string' ? planner : undefined;
  const writer = version === undefined ? 'a newer Planner' : `Planner ${version} or a newer one`;
  throw conflict(
    `.planner/config.json says format ${format}, written by ${writer}; this Planner reads formats up to ${current}. Install ${writer} from npm, or check out a commit of before the upgrade. Nothing was changed.`,
    {
      path: '.planner/config.json',
      format,
      format_max: current,
      ...(version === undefined ? {} : { planner: version }),
    },
  );
}

/** Refuses a root of a newer format, before anything is touched. */
export function requireKnownFormat(disk: Disk, layout: RootLayout, migrations: readonly Migration[]): void {
  formatOf(readFormatSettings(disk, layout), currentFormat(migrations));
}
