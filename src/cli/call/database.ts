import type { DatabaseSettings } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import type { CliEnvironment } from '../service/cli-environment.ts';
import type { RootOptions } from '../worktrees/command-root.ts';

/**
 * The database that a command is to use instead of files: the one in --database, or in PLANNER_DATABASE unless the
 * command names a root or PLANNER_URL a service. Throws `invalid_argument` for a URL of another kind.
 */
export function databaseOf(
  { environment }: Pick<CliEnvironment, 'environment'>,
  { root, database: given }: RootOptions,
): DatabaseSettings | undefined {
  const { database, url: service } = environment();
  if (given !== undefined && root !== undefined)
    throw invalid('--database', 'A command uses files or a database: leave out --root or --database.');
  const url = given ?? (root === undefined && service === undefined ? database.url : undefined);
  if (url === undefined) return undefined;
  if (/^postgres(?:ql)?:\/\/./.test(url)) return { ...database, url };
  throw invalid(
    given === undefined ? 'PLANNER_DATABASE' : '--database',
    'The database is the URL of a PostgreSQL server, as in postgres://planner@db.example.org:5432/planner.',
  );
}

/** The hosts and the name of a database, without credentials: `db.example.org:5432/planner`. */
export function databaseName({ url, schema }: DatabaseSettings): string {
  const [, hosts = '', name = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)\/?([^?#]*)/.exec(url) ?? [];
  return `${hosts}/${name === '' ? schema : name}`;
}

function invalid(field: string, message: string): PlannerError {
  return new PlannerError('invalid_argument', message, { field });
}
