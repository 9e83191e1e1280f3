import { PlannerError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import type { Caller } from '../operations/declaration/operation.ts';
import type { FeatureMethod } from './feature-methods.ts';
import { completePrompt, getPrompt, listPrompts } from './prompts.ts';
import { completeTemplate, listResources, readResource, resourceTemplates } from './resources.ts';
import type { Read } from './resources.ts';
import { isSkillUri, readSkill } from './skill-texts.ts';

type Params = Readonly<Record<string, unknown>>;
type Result = Readonly<Record<string, unknown>>;
type Handler = (params: Params, read: Read, caller: Caller) => Promise<Result>;

const handlers: Readonly<Record<FeatureMethod, Handler>> = {
  'resources/list': (params, read, caller) => listResources(read, projectOf(caller), params),
  'resources/templates/list': async () => ({ resourceTemplates: resourceTemplates() }),
  'resources/read': async ({ uri }, read) => (isSkillUri(uri) ? readSkill(uri) : readResource(read, uri)),
  'prompts/list': async () => listPrompts(),
  'prompts/get': (params, read, caller) => getPrompt(read, params, projectOf(caller)),
  'completion/complete': (params, read, caller) => complete(params, read, projectOf(caller)),
};

/** The result of a request for resources, prompts or completions, by operations that the caller may run. Rejects with any error. */
export function handleFeature(method: FeatureMethod, params: Params, read: Read, caller: Caller): Promise<Result> {
  return handlers[method](params, read, caller);
}

async function complete({ ref, argument, context }: Params, read: Read, project: string | undefined): Promise<Result> {
  const { type, uri, name } = isObject(ref) ? ref : {};
  if ((type !== 'ref/resource' && type !== 'ref/prompt') || !isObject(argument))
    throw new PlannerError(
      'invalid_argument',
      'ref must be {"type": "ref/resource", "uri": …} or {"type": "ref/prompt", "name": …}, and argument {name, value}.',
      {
        field: 'params.ref',
      },
    );
  const given = isObject(context) && isObject(context['arguments']) ? context['arguments'] : {};
  if (type === 'ref/prompt') return completePrompt(read, name, argument, given, project);
  return completeTemplate(read, uri, argument, given);
}

/** The project of calls that name no project. */
function projectOf({ boundTo, defaultProject }: Caller): string | undefined {
  return boundTo ?? defaultProject;
}
