import { conflict } from '../../errors.ts';
import { idPrefixes, newProjectCode, randomName } from '../../ids.ts';
import { slugOf } from './file-name.ts';

/** What identifies a new project. */
export interface ProjectIdentifiers {
  readonly id: string;
  readonly code: string;
  /** The name of its directory as files. */
  readonly directory: string;
}

const triesMax = 100;

/** A random project code that no project has. Throws `conflict` if none is found. */
export function freeCode(isTaken: (code: string) => boolean): string {
  for (let tries = 0; tries < triesMax; tries++) {
    const code = newProjectCode();
    if (!isTaken(code)) return code;
  }
  throw conflict(`No free project code was found in ${triesMax} tries.`);
}

/** New identifiers for a project with this name. */
export function identifiersFor(name: string, isTaken: (code: string) => boolean): ProjectIdentifiers {
  const code = freeCode(isTaken);
  const id = `${idPrefixes.project}_${code}${randomName()}${randomName().slice(0, 2)}`;
  return { id, code, directory: `${slugOf(name) || 'project'}-${code}` };
}
