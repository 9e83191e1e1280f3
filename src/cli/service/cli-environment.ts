import type { DatabaseSettings, Environment } from '../../base/config.ts';
import type { Disk } from '../../store/index.ts';
import type { PlannerPort } from './planner-port.ts';
import type { RootConfig } from './root.ts';

/** The environment of the command line, from which the target of a command is determined. */
export interface CliEnvironment {
  /** Called on demand, so that invalid variables are reported like every other error. */
  readonly environment: () => Environment;
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  readonly disk: Disk;
  /** Prints a line to standard error, which people see even if standard output is piped. Control characters are escaped. */
  readonly remark: (line: string) => void;
  /** Prints a line that needs no action: --quiet leaves it out. */
  readonly notice: (line: string) => void;
  /** True if --json is given. */
  readonly json?: boolean;
  /** Opens the store of a root if no service runs over it. */
  readonly openStore: (root: string, config: RootConfig) => Promise<PlannerPort>;
  /** Opens the store of a root on a read-only file system; changes nothing. */
  readonly openStoreReadOnly: (root: string, config: RootConfig) => Promise<PlannerPort>;
  /** Opens the store in a databaseas its owner, while nodes serve it. */
  readonly openDatabase: (database: DatabaseSettings) => Promise<PlannerPort>;
}
