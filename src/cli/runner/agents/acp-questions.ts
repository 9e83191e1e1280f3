import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { isObject } from '../../../base/is-object.ts';
import { lineOf } from './progress.ts';

/** Asks a person. Resolves with the answer, one of the choices if there are some; undefined without an answer. */
export type Ask = (question: string, choices: readonly string[]) => Promise<string | undefined>;

const questionCharactersMax = 2_000;
const choiceCharactersMax = 200;
/** Fields of a form that are asked, one after the other. */
const fieldsMax = 10;

/** Asks for permission to call a tool. Without an answer the call is cancelled. */
export async function askPermission(
  { toolCall, options }: RequestPermissionRequest,
  ask: Ask,
): Promise<RequestPermissionResponse> {
  const title = toolCall.title ?? toolCall.name ?? toolCall.kind ?? toolCall.toolCallId;
  const picked = await pick(lineOf(title, questionCharactersMax), options, ({ name }) => name, ask);
  return {
    outcome: picked === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: picked.optionId },
  };
}

/** Asks the fields of a form one after the other. Without an answer to one of them the form is cancelled. */
export async function askForm(request: CreateElicitationRequest, ask: Ask): Promise<CreateElicitationResponse> {
  const message = lineOf(request.message, questionCharactersMax);
  const schema = request['requestedSchema' as keyof CreateElicitationRequest] as unknown;
  if (request.mode !== 'form' || !isObject(schema)) return { action: 'decline' };
  const fields = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  if (fields.length > fieldsMax) return { action: 'decline' };
  if (fields.length === 0) {
    const isAccepted = await askBoolean(message, ask);
    return isAccepted === undefined ? { action: 'cancel' } : { action: isAccepted ? 'accept' : 'decline' };
  }
  const content: Record<string, string | number | boolean | string[]> = {};
  for (const [name, field] of fields) {
    const answer = await askField(fields.length === 1 ? message : `${message} ${labelOf(name, field)}`, field, ask);
    if (answer === undefined) return { action: 'cancel' };
    content[name] = answer;
  }
  return { action: 'accept', content };
}

function labelOf(name: string, field: unknown): string {
  const title = isObject(field) ? (field['title'] ?? field['description']) : undefined;
  return `(${lineOf(typeof title === 'string' ? title : name)})`;
}

async function askField(
  question: string,
  field: unknown,
  ask: Ask,
): Promise<string | number | boolean | string[] | undefined> {
  if (!isObject(field)) return undefined;
  const choices = choicesOf(field);
  switch (field['type']) {
    case 'boolean':
      return askBoolean(question, ask);
    case 'string':
      if (choices === undefined) return ask(question, []);
      return (await pick(question, choices, ({ title }) => title, ask))?.value;
    case 'number':
    case 'integer':
      return numberIn(await ask(question, []), field['type'] === 'integer');
    case 'array': {
      const items = isObject(field['items']) ? choicesOf(field['items']) : undefined;
      const picked = items && (await pick(question, items, ({ title }) => title, ask));
      return picked && [picked.value];
    }
    default:
      return undefined;
  }
}

async function askBoolean(question: string, ask: Ask): Promise<boolean | undefined> {
  const choices = [true, false];
  return pick(question, choices, (value) => (value ? 'Yes' : 'No'), ask);
}

function numberIn(text: string | undefined, isInteger: boolean): number | undefined {
  const value = text === undefined || text.trim() === '' ? NaN : Number(text);
  return (isInteger ? Number.isInteger(value) : Number.isFinite(value)) ? value : undefined;
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The choices of a field, by either form of the protocol: texts, or values with titles. */
function choicesOf(field: Record<string, unknown>): readonly Choice[] | undefined {
  const listed = field['enum'] ?? field['oneOf'] ?? field['anyOf'];
  if (!Array.isArray(listed)) return undefined;
  return (listed as unknown[]).flatMap((one) => {
    if (typeof one === 'string') return [{ value: one, title: one }];
    if (!isObject(one) || typeof one['const'] !== 'string') return [];
    return [{ value: one['const'], title: typeof one['title'] === 'string' ? one['title'] : one['const'] }];
  });
}

/** Asks for one of several values, by their names. */
async function pick<T>(
  question: string,
  values: readonly T[],
  nameOf: (value: T) => string,
  ask: Ask,
): Promise<T | undefined> {
  if (values.length === 0) return undefined;
  const names = values.map((value) => lineOf(nameOf(value), choiceCharactersMax));
  const answer = await ask(question, names);
  return answer === undefined ? undefined : values[names.indexOf(answer)];
}
