import { hash } from 'node:crypto';
import { conflict, invalid } from '../../base/errors.ts';
import { idPrefixes, newProjectCode, projectCodeOf, randomName } from '../../base/ids.ts';
import { slugOf } from './file-name.ts';

/** The identity of a new project. */
export interface ProjectIdentifiers {
  readonly id: string;
  readonly code: string;
  /** The name of its directory as files. */
  readonly directory: string;
}

const triesMax = 100;

/** A random project code that no project has. Throws `conflict` if it finds no free code. */
export function freeCode(isTaken: (code: string) => boolean): string {
  for (let tries = 0; tries < triesMax; tries++) {
    const code = newProjectCode();
    if (!isTaken(code)) return code;
  }
  throw conflict(`No free project code was found in ${triesMax} tries.`);
}

/**
 * Identifiers for a new project with this name: new ones, or the ones of an id that it has elsewhere. Throws `conflict`
 * if the code of that id is taken, `invalid_argument` if it has no code.
 */
export function identifiersFor(name: string, isTaken: (code: string) => boolean, given?: string): ProjectIdentifiers {
  const code = given === undefined ? freeCode(isTaken) : freeCodeOf(given, isTaken);
  const id = given ?? `${idPrefixes.project}_${code}${randomName()}${randomName().slice(0, 2)}`;
  return { id, code, directory: `${slugOf(name) || 'project'}-${code}` };
}

function freeCodeOf(id: string, isTaken: (code: string) => boolean): string {
  const code = id.startsWith(`${idPrefixes.project}_`) ? projectCodeOf(id) : undefined;
  if (code === undefined)
    throw invalid(
      'project.id',
      `The project cannot keep its id ${JSON.stringify(id)}: only ids that Planner made are kept. Import it under new ids.`,
    );
  requireFree({ id, code }, isTaken);
  return code;
}

/** Throws `conflict` if a project has the code, or its files are still there. */
export function requireFree(
  { id, code }: Pick<ProjectIdentifiers, 'id' | 'code'>,
  isTaken: (code: string) => boolean,
): void {
  if (!isTaken(code)) return;
  throw conflict(
    `A project with the code ${code}, which is a part of the id ${id}, is here already. Import it under new ids, or delete that project first.`,
    { id, code },
  );
}

/** The code at the end of a directory's name. */
export function codeInName(directory: string): string | undefined {
  return /-([0-9a-hjkmnp-tv-z]{6})$/.exec(directory)?.[1];
}

/** The six characters in ids that identify their project: from the id, else from the directory's name, else derived. */
export function codeOf(id: string, directory: string): string {
  const named = projectCodeOf(id) ?? codeInName(directory);
  return (
    named ??
    hash('sha256', id, 'hex')
      .replace(/[ilou]/g, '')
      .slice(0, 6)
  );
}
