import { isAbsolute, join } from 'node:path';

export interface UserDirectoryOptions {
  readonly homeDirectory: string;
  /** XDG_CONFIG_HOME. */
  readonly configHome: string | undefined;
}

/** Planner's directory in the user's configuration. A relative XDG_CONFIG_HOME is ignored, as its specification requires. */
export function userDirectory({ homeDirectory, configHome }: UserDirectoryOptions): string {
  const above = configHome !== undefined && isAbsolute(configHome) ? configHome : join(homeDirectory, '.config');
  return join(above, 'planner');
}
