/**
 * Scenarios of the conformance suite that Planner does not pass, each with the reason. Reviewed by hand: a scenario
 * that passes must not be listed, and a listed one must fail.
 */
const noLogging = 'Declares no logging: events are in the log that the operator reads.';
const noCompletion = 'Declares no completions: it has neither prompts nor resource templates to complete.';
const noResources = 'Declares no resources: everything is reached through tools.';
const noPrompts = 'Declares no prompts: how to work is described in the instructions of initialize.';
const textOnly = 'Asks for a tool of the suite that answers this content; the tools of the specification answer JSON.';
const noPush = 'Asks for a tool of the suite that sends messages while it runs; the specification has no server push.';
const asksNothing = 'Asks for a tool of the suite that asks the client for something; no tool here does.';
const ownNames =
  'Calls a tool by a name of the suite, which is not among the 64; it passes when the name is put for one of ours.';

export const baseline: Readonly<Record<string, string>> = {
  'logging-set-level': noLogging,
  'completion-complete': noCompletion,
  'tools-call-simple-text': ownNames,
  'tools-call-error': ownNames,
  'tools-call-image': textOnly,
  'tools-call-audio': textOnly,
  'tools-call-embedded-resource': textOnly,
  'tools-call-mixed-content': textOnly,
  'tools-call-with-logging': noLogging,
  'tools-call-with-progress': noPush,
  'tools-call-sampling': asksNothing,
  'tools-call-elicitation': asksNothing,
  'elicitation-sep1034-defaults': asksNothing,
  'elicitation-sep1330-enums': asksNothing,
  'resources-list': noResources,
  'resources-read-text': noResources,
  'resources-read-binary': noResources,
  'resources-templates-read': noResources,
  'resources-subscribe': noResources,
  'resources-unsubscribe': noResources,
  'prompts-list': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-with-image': noPrompts,
};

/** What must pass. */
export const passing = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
