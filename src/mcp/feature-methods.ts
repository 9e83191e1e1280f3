const methods = [
  ...(['resources/list', 'resources/templates/list', 'resources/read'] as const),
  ...(['prompts/list', 'prompts/get', 'completion/complete'] as const),
] as const;

export type FeatureMethod = (typeof methods)[number];

/** The methods of requests that are neither of tools nor of the protocol itself. */
export const featureMethods: ReadonlySet<string> = new Set(methods);
