import { hash } from 'node:crypto';
import { idPattern, projectCodeOf } from '../../../ids.ts';
import { limits } from '../../../limits.ts';
import { decode } from '../codec/codec.ts';
import type { Collection } from '../../record/collection.ts';
import type { Disk } from '../disk/disk.ts';
import { HistoryIndex } from '../project/history.ts';
import type { IndexCache } from './index-cache.ts';
import type { LastGood } from '../edits/last-good.ts';
import { Project } from '../project/project.ts';
import { ProjectIndex } from '../../index/project-index.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import type { Outcome, Reconciler } from '../edits/reconcile.ts';
import type { RootLayout } from '../disk/root-layout.ts';

export interface LoaderParts {
  readonly disk: Disk;
  readonly layout: RootLayout;
  readonly collections: readonly Collection[];
  readonly reconciler: Reconciler;
  readonly lastGood: LastGood;
  readonly cache: IndexCache;
  /** Where a record of this id lies in another project than the one named. */
  readonly elsewhere: (project: string, id: string) => string | undefined;
}

/** A project read from its directory, and what had been edited since the index cache was written. */
export interface Loaded {
  readonly project: Project;
  readonly outcome: Outcome;
  /** False where nothing was known before: then the outcome is the project itself and no edit. */
  readonly known: boolean;
}

/** Reads project directories. */
export class Loader {
  readonly #parts: LoaderParts;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  /** Names below `projects/` that hold a project: directories with a project.json, no link, no leading dot. */
  directories(): string[] {
    const { disk, layout } = this.#parts;
    if (!new RealDirectories(disk, layout.root).has(layout.projects)) return [];
    return disk
      .list(layout.projects)
      .filter(({ name, kind }) => kind === 'directory' && !name.startsWith('.') && this.isProject(name))
      .map(({ name }) => name);
  }

  isProject(directory: string): boolean {
    const { disk, layout } = this.#parts;
    return new RealDirectories(disk, layout.root).stat(`${layout.projects}/${directory}/project.json`)?.kind === 'file';
  }

  /** The project's id as its directory says it; undefined where it cannot be found out. */
  idOf(directory: string): string | undefined {
    const { disk, layout, collections } = this.#parts;
    const shape = collections.find(({ id }) => id === 'project')?.shape;
    const path = `${layout.projects}/${directory}/project.json`;
    if ((disk.stat(path)?.size ?? 0) > limits.recordFileBytesMax) return undefined;
    const bytes = disk.readIfThere(path);
    if (shape === undefined || bytes === undefined) return undefined;
    const decoded = decode(shape, bytes);
    const id = decoded.ok ? decoded.fields['id'] : decoded.id;
    return typeof id === 'string' && idPattern.test(id) ? id : undefined;
  }

  /** An empty project that is going to live in this directory. */
  make(id: string, directory: string): Project {
    const index = new ProjectIndex(this.#parts.collections);
    const history = new HistoryIndex(this.#parts.disk);
    const elsewhere = (record: string): string | undefined => this.#parts.elsewhere(id, record);
    return new Project({ id, code: codeOf(id, directory), directory, index, history, elsewhere });
  }

  /** Reads the project's history, takes what the index cache knows, and looks at every file. The outcome is not applied yet. */
  load(id: string, directory: string): Loaded {
    const project = this.make(id, directory);
    this.#readHistory(project);
    const known = this.#parts.cache.restore(project);
    const outcome = this.#parts.reconciler.look(
      project,
      ['', ...[...project.files.values()].map(({ path }) => path)],
      true,
    );
    return { project, outcome, known };
  }

  /** Those beside the records, and those of edits on disk in `local/`. Before the records: a revision dates its record. */
  #readHistory(project: Project): void {
    const { disk, layout } = this.#parts;
    const local = layout.localHistory(project.code);
    for (const top of [local, `${layout.projects}/${project.directory}/history`]) {
      for (const month of disk.list(top)) {
        if (month.kind !== 'directory') continue;
        for (const { name, kind } of disk.list(`${top}/${month.name}`)) {
          if (kind !== 'file' || !name.endsWith('.jsonl')) continue;
          const read = (): void => {
            if (top === local) project.history.addSegment(`${top}/${month.name}/${name}`);
            else this.#parts.reconciler.lookAtSegment(project, `history/${month.name}/${name}`);
          };
          read();
          if (project.history.mend(`${top}/${month.name}/${name}`, layout.temporary)) read();
        }
      }
    }
  }
}

/** The six characters by which ids name their project: from the id, else the directory's name, else derived. */
export function codeOf(id: string, directory: string): string {
  const named = projectCodeOf(id) ?? /-([0-9a-hjkmnp-tv-z]{6})$/.exec(directory)?.[1];
  return (
    named ??
    hash('sha256', id, 'hex')
      .replace(/[ilou]/g, '')
      .slice(0, 6)
  );
}
