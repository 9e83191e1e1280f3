import manifest from '../../package.json' with { type: 'json' };

/** The package's version. */
export const { version } = manifest;

/** The package's name in the registry of npm, where `planner` alone is another package. */
export const packageName = manifest.name;
