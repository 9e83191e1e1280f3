import { definitions, memberNames } from './schemas.ts';

/** The properties of a collection from which the views of its records are generated. */
export interface ShownCollection {
  /** `task`; its resource is then the definition `Task`, a row of an agent's list `TaskRow`. */
  readonly name: string;
  readonly fields: Readonly<Record<string, ShownField>>;
}

interface ShownField {
  readonly shown?: 'row' | 'internal';
  readonly computed?: true;
  readonly in?: 'body' | 'path';
  readonly absent?: unknown;
  readonly given?: true;
}

/** The source of the value of a view's member. */
type Member = 'copied' | 'copied-unless-absent' | 'added' | 'added-if-given';

type Members = ReadonlyMap<string, Member>;

interface Definition {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

const kept: readonly string[] = ['id', 'created_at', 'updated_at'];

/**
 * A module with the views of records: functions that copy the fields that collections declare as shown, member by member and in the order
 * of the definitions. They are object literals, because copying by a list of names takes ten times as long.
 */
export function shownRecords(collections: readonly ShownCollection[]): string {
  const shown = collections.filter(({ fields }) =>
    Object.entries(fields).some(([name, { shown: where }]) => !kept.includes(name) && where !== 'internal'),
  );
  const imports = shown.flatMap(({ name }) => typesOf(capitalised(name))).sort();
  const views = shown.map((collection) => `${collection.name}: {${functionsOf(collection).join('\n')}},`);
  const results = ['ProjectSummary', 'SearchAnswer'].map((name) => `${name}: ${JSON.stringify(memberNames(name))},`);
  return `import type { ${imports.join(', ')} } from '../../schema/types.ts';

/**
 * Records in the form for callers, by collection: \`details\`, and for collections with rows also \`row\` and \`head\`, which is without the
 * text. \`added\` has the members that are not fields, and those with a computed value.
 */
export const shown = {${views.join('\n')}};

/** The members of results that consist of collections, in the order of their definitions. */
export const resultMembers = {${results.join('\n')}} as const;
`;
}

const typesOf = (type: string): readonly string[] => [type, `${type}Record`, `${type}Row`].filter(isDefined);

const isDefined = (type: string): boolean => definitions.has(type);

function functionsOf(collection: ShownCollection): string[] {
  const { name, fields } = collection;
  const type = capitalised(name);
  const details = membersOf(type, (member, required) => inDetails(fields[member], member, required));
  const made = [functionText('details', collection, type, details)];
  if (!isDefined(`${type}Row`)) return made;
  const text = Object.entries(fields).find(([, rule]) => rule.in === 'body')?.[0];
  if (text !== undefined) {
    const head = new Map([...details].filter(([member]) => member !== text));
    made.push(functionText('head', collection, `Omit<${type}, '${text}'>`, head));
  }
  const row = membersOf(`${type}Row`, (member, required) => inRow(fields[member], member, required));
  return [...made, functionText('row', collection, `${type}Row`, row)];
}

/** The members of a view in the order of its definition. `memberOf` returns undefined for members that the view omits. */
function membersOf(type: string, memberOf: (name: string, required: boolean) => Member | undefined): Members {
  const { properties, required = [] } = definitions.get(type)!.schema as unknown as Definition;
  const members = Object.keys(properties).map((name) => [name, memberOf(name, required.includes(name))] as const);
  return new Map(members.filter((member): member is readonly [string, Member] => member[1] !== undefined));
}

function inDetails(rule: ShownField | undefined, name: string, required: boolean): Member {
  if (kept.includes(name)) return 'copied';
  if (rule !== undefined && rule.computed !== true)
    return required || rule.in === 'body' ? 'copied' : 'copied-unless-absent';
  return required ? 'added' : 'added-if-given';
}

/** A row omits members that equal the default, if its definition permits, and the project, which is the list's. */
function inRow(rule: ShownField | undefined, name: string, required: boolean): Member | undefined {
  if (kept.includes(name)) return required ? 'copied' : undefined;
  if (name === 'project_id' || (rule !== undefined && rule.shown !== 'row')) return undefined;
  if (rule === undefined || rule.computed === true) return required ? 'added' : 'added-if-given';
  return required || rule.given === true ? 'copied' : 'copied-unless-absent';
}

function functionText(
  view: 'details' | 'head' | 'row',
  { name, fields }: ShownCollection,
  type: string,
  members: Members,
): string {
  const shape = view === 'row' ? type : capitalised(name);
  const added = [...members].filter(([, member]) => member.startsWith('added')).map(([member]) => `'${member}'`);
  const parameters = [
    `${name}: ${capitalised(name)}Record`,
    ...(added.length === 0 ? [] : [`added: Pick<${shape}, ${added.join(' | ')}>`]),
  ];
  const lines = [...members].map(([member, from]) => lineOf(member, from, name, fields[member]?.absent ?? null));
  return `${view}(${parameters.join(', ')}): ${type} { return {${lines.join('\n')}}; },`;
}

function lineOf(member: string, from: Member, record: string, absent: unknown): string {
  switch (from) {
    case 'copied':
      return `${member}: ${record}.${member},`;
    case 'added':
      return `${member}: added.${member},`;
    case 'added-if-given':
      return `...(added.${member} === undefined ? undefined : { ${member}: added.${member} }),`;
    case 'copied-unless-absent': {
      const value = `${record}.${member}`;
      return `...(${value} === ${JSON.stringify(absent)} ? undefined : { ${member}: ${value} }),`;
    }
  }
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
