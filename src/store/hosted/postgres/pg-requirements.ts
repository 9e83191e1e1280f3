import { conflict, type PlannerError } from '../../../base/errors.ts';
import { newerTables, type PgTables, schemaVersion } from './pg-schema.ts';
import { UnsafeLogError } from '../storage/unsafe-log-error.ts';

/**
 * The failures that a commit survives. `disk`: the loss of power. `replicated`: the loss of the server, too; a
 * synchronous standby is required. `asserted`: the same failures, but the database does not show its replication, as
 * managed ones.
 */
export type Durability = 'disk' | 'replicated' | 'asserted';

/** A condition under which plans are safe at a server. */
interface Requirement {
  readonly setting: string;
  /** SQL: its value, a text. */
  readonly value: string;
  /** SQL: whether it is met. */
  readonly isMet: string;
  readonly sentence: (value: string) => string;
}

const versionMin = 140_000;
const lossOfPower = 'Acknowledged changes could be lost: set it to on and reload the server.';
export const otherDurability =
  'If the loss of the server may lose changes, choose durability on its disk; if a managed database replicates without showing it, assert that it does.';

/**
 * A node's requirements for the server at its start, and with each statement that changes or acknowledges something, because the server may have been replaced, or have other settings, by then. A statement checks them by
 * `unmet`, without a separate request.
 */
export class PgRequirements {
  /** SQL: the first requirement of the server that is not met, with its value; null if all are. */
  readonly unmetByServer: string;
  /** The first unmet requirement, including the version of the tables. */
  readonly unmet: string;
  readonly #all: readonly Requirement[];

  constructor(durability: Durability, tables: PgTables) {
    const ofServer = serverRequirements(durability);
    this.#all = [...ofServer, tablesRequirement(tables)];
    this.unmetByServer = firstUnmet(ofServer);
    this.unmet = firstUnmet(this.#all);
  }

  /** The names of the required settings. */
  get settings(): readonly string[] {
    return this.#all.map(({ setting }) => setting);
  }

  /** Why a node does not start: `conflict`. `found`: what `unmetByServer` is. */
  refusal(found: string): PlannerError {
    const { message, details } = this.#unmet(found);
    return conflict(message, details);
  }

  /** Throws `UnsafeLogError` unless `found`, what `unmet` is, is null. */
  require(found: unknown): void {
    const error = this.errorOf(found);
    if (error !== undefined) throw error;
  }

  errorOf(found: unknown): UnsafeLogError | undefined {
    if (typeof found !== 'string') return undefined;
    const { message, details } = this.#unmet(found);
    return new UnsafeLogError(message, details);
  }

  #unmet(found: string): { readonly message: string; readonly details: Readonly<Record<string, string>> } {
    const [, number, value = ''] = /^(\d+) (.*)$/s.exec(found)!;
    const { setting, sentence } = this.#all[Number(number)]!;
    return { message: sentence(value), details: { setting, value } };
  }
}

function firstUnmet(requirements: readonly Requirement[]): string {
  const cases = requirements.map(
    ({ value, isMet }, at) => `WHEN NOT coalesce(${isMet}, false) THEN '${at} ' || coalesce(${value}, '')`,
  );
  return `(SELECT CASE ${cases.join(' ')} END)`;
}

function serverRequirements(durability: Durability): readonly Requirement[] {
  const replicated = [
    required('synchronous_commit', "<> 'local'", `${lossOfPower} ${otherDurability}`),
    required('synchronous_standby_names', "<> ''", `Name a standby there and reload the server. ${otherDurability}`),
  ];
  return [
    {
      ...required('server_version', '', 'PostgreSQL 14 or newer is required: upgrade the server.'),
      value: "current_setting('server_version_num')",
      isMet: `current_setting('server_version_num')::int >= ${versionMin}`,
    },
    required('server_encoding', "= 'UTF8'", "Texts are UTF-8: create the database with ENCODING 'UTF8'."),
    required('fsync', "= 'on'", lossOfPower),
    required('full_page_writes', "= 'on'", lossOfPower),
    required('synchronous_commit', "<> 'off'", lossOfPower),
    ...(durability === 'replicated' ? replicated : []),
  ];
}

function required(setting: string, condition: string, remedy: string): Requirement {
  const value = `current_setting('${setting}')`;
  return { setting, value, isMet: `${value} ${condition}`, sentence: (found) => unsafe(setting, found, remedy) };
}

/** A migration that was finished while this node runs: only newer programs may use the tables. */
function tablesRequirement(tables: PgTables): Requirement {
  const value = `(SELECT value FROM ${tables.of('meta')} WHERE key = 'schema_version')`;
  return {
    setting: 'schema_version',
    value,
    isMet: `CASE WHEN ${value} ~ '^[0-9]{1,9}$' THEN ${value}::int <= ${schemaVersion} END`,
    sentence: (found) => newerTables(found, tables),
  };
}

export function unsafe(setting: string, value: string, remedy: string): string {
  return `The database is not safe for plans: ${setting} is ${value === '' ? 'empty' : value}. ${remedy}`;
}
