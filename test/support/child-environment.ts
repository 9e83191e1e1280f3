/**
 * The environment for a child process: this process's own without Planner's settings and without Node's options, which are meant for this
 * process.
 */
export function childEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[0].startsWith('PLANNER_') && entry[0] !== 'NODE_OPTIONS',
  );
  return Object.fromEntries(own);
}

/** The environment with variables of the test. If they name a home, it brings its own settings. */
export function environmentWith(variables: Readonly<Record<string, string>>): Record<string, string> {
  const { XDG_CONFIG_HOME: settings, ...inherited } = childEnvironment();
  const keepsSettings = settings !== undefined && variables['HOME'] === undefined;
  return { ...inherited, ...(keepsSettings ? { XDG_CONFIG_HOME: settings } : {}), ...variables };
}
