/**
 * Scenarios of the conformance suite that Planner does not pass, by revision, each with the reason. Reviewed by hand: a scenario
 * that passes must not be listed, and a listed one must fail.
 */
const noLogging = 'Declares no logging: events are in the log that the operator reads.';
const ownResources = 'Asks for resources of the suite, test://…, not for those that a service lists.';
const ownPrompts = 'Asks for a prompt of the suite by its name.';
const textOnly = 'Asks for a tool of the suite that answers this content; the tools of the specification answer JSON.';
const noPush = 'Asks for a tool of the suite that sends messages while it runs; the specification has no server push.';
const asksOther =
  'Asks for a tool of the suite that asks the client for what no tool here asks: here it is a confirmation.';
const noTasks = 'Declares no tasks extension: tools respond at once.';
const ownSchema = 'Asks for a tool of the suite with this schema.';
const ownNames =
  'Uses a tool, prompt or resource by a name of the suite; it passes when the name is replaced by that of one of ours.';

const inBoth: Readonly<Record<string, string>> = {
  'completion-complete': ownNames,
  'tools-call-simple-text': ownNames,
  'tools-call-error': ownNames,
  'tools-call-image': textOnly,
  'tools-call-audio': textOnly,
  'tools-call-embedded-resource': textOnly,
  'tools-call-mixed-content': textOnly,
  'tools-call-with-progress': noPush,
  'resources-read-text': ownNames,
  'resources-read-binary': ownResources,
  'resources-templates-read': ownResources,
  'prompts-get-simple': ownNames,
  'prompts-get-with-args': ownNames,
  'prompts-get-embedded-resource': ownNames,
  'prompts-get-with-image': ownPrompts,
  'json-schema-2020-12': ownSchema,
};

export interface Baseline {
  /** The scenarios that must fail, with the reason. */
  readonly failing: Readonly<Record<string, string>>;
  /** The scenarios that must pass. */
  readonly passing: readonly string[];
}

export const baselines: Readonly<Record<'2025-11-25' | '2026-07-28', Baseline>> = {
  '2025-11-25': {
    failing: {
      ...inBoth,
      'logging-set-level': noLogging,
      'tools-call-with-logging': noLogging,
      'tools-call-sampling': asksOther,
      'tools-call-elicitation': ownNames,
      'elicitation-sep1034-defaults': asksOther,
      'elicitation-sep1330-enums': asksOther,
      'resources-subscribe': ownNames,
      'resources-unsubscribe': ownNames,
    },
    passing: [
      'server-initialize',
      'ping',
      'tools-list',
      'resources-list',
      'prompts-list',
      'server-sse-multiple-streams',
      'dns-rebinding-protection',
      'server-session-lifecycle',
      'server-sse-polling',
    ],
  },
  '2026-07-28': {
    failing: {
      ...inBoth,
      'server-stateless': 'Four of its 25 checks ask for tools of the suite; the others pass.',
      'input-required-result-basic-elicitation': asksOther,
      'input-required-result-basic-sampling': asksOther,
      'input-required-result-basic-list-roots': asksOther,
      'input-required-result-request-state': asksOther,
      'input-required-result-multiple-input-requests': asksOther,
      'input-required-result-multi-round': asksOther,
      'input-required-result-non-tool-request': asksOther,
      'input-required-result-result-type': asksOther,
      'input-required-result-tampered-state': asksOther,
      'input-required-result-capability-check': asksOther,
      'http-custom-header-server-validation': 'Asks for a tool of the suite whose arguments are repeated in headers.',
      'tasks-lifecycle': noTasks,
      'tasks-capability-negotiation': noTasks,
      'tasks-wire-fields': noTasks,
      'tasks-request-state-removal': noTasks,
      'tasks-mrtr-input': noTasks,
      'tasks-request-headers': noTasks,
      'tasks-dispatch-and-envelope': noTasks,
      'tasks-required-task-error': noTasks,
      'tasks-mrtr-composition': noTasks,
    },
    passing: [
      'tools-list',
      'resources-list',
      'prompts-list',
      'caching',
      'server-sse-multiple-streams',
      'sep-2164-resource-not-found',
      'dns-rebinding-protection',
      'input-required-result-missing-input-response',
      'input-required-result-unsupported-methods',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
      'tasks-status-notifications',
      'http-header-validation',
    ],
  },
};

/** The checks that fail within scenarios of which others pass, by scenario of revision 2026-07-28. Each asks for a tool of the suite. */
export const failingChecks: Readonly<Record<string, readonly string[]>> = {
  'server-stateless': [
    'ServerRejectsUndeclaredCapability',
    'MissingCapabilityHttp400',
    'HttpServerNoIndependentRequestsOnStream',
    'ServerNoLogWithoutLogLevel',
  ],
};

const renamedInBoth = [
  ...['tools-call-simple-text', 'tools-call-error', 'completion-complete', 'resources-read-text'],
  ...['prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource'],
];

/** The scenarios that pass when the names of the suite are replaced by our names, by revision. */
export const renamedScenarios: Readonly<Record<keyof typeof baselines, readonly string[]>> = {
  '2025-11-25': [...renamedInBoth, 'tools-call-elicitation', 'resources-subscribe', 'resources-unsubscribe'],
  '2026-07-28': renamedInBoth,
};

/** The scenarios of extensions that are served. `sep-2640-skills-directory` is of an option that is not declared. */
export const extensionScenarios: readonly string[] = ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest'];
