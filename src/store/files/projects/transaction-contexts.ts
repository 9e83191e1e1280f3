import { dirname } from 'node:path';
import { isoTime } from '../../../base/clock.ts';
import { fileByPerson } from '../checkpoint/file-by-person.ts';
import { linkedPart } from '../disk/linked-path.ts';
import { ProjectReadTransaction, type TransactionContext } from '../../replica/transaction.ts';
import type { Project } from '../project/project.ts';
import type { WrittenFile } from '../../record/read-transaction.ts';
import type { StoreDeps } from './store-deps.ts';

type ContextEngine = Pick<StoreDeps, 'options' | 'layout' | 'collections' | 'service' | 'attachmentFiles' | 'feeds'>;

/** What transactions on each project need: its index and history, and what the store knows of its files. */
export class TransactionContexts {
  readonly #engine: ContextEngine;
  readonly #views = new WeakMap<Project, ProjectReadTransaction>();
  readonly #contexts = new WeakMap<Project, TransactionContext>();

  constructor(engine: ContextEngine) {
    this.#engine = engine;
  }

  /** What reads of a project see. */
  viewOf(project: Project): ProjectReadTransaction {
    let view = this.#views.get(project);
    if (view === undefined) {
      view = new ProjectReadTransaction(this.of(project), () => isoTime(this.#engine.options.clock.now()));
      this.#views.set(project, view);
    }
    return view;
  }

  /** What transactions on a project need. */
  readonly of = (project: Project): TransactionContext => {
    let context = this.#contexts.get(project);
    if (context === undefined) {
      const { id, code, index, history } = project;
      const { collections, service, options, layout, attachmentFiles, feeds } = this.#engine;
      context = {
        project: id,
        code,
        index,
        history,
        collections,
        service,
        begin: project.replica.begin,
        ids: options.ids,
        linkedPart: (path) => linkedPart(options.disk, dirname(layout.root), path),
        bytes: (name, record) => attachmentFiles.open(project, name, record),
        storedBytes: () => project.storedBytes,
        problems: () => project.problems(),
        problemOf: (record) => project.problemOf(record),
        pathOf: (record) => project.pathOf(record),
        feed: () => feeds && { feed: feeds.of(id), head: project.replica.tail.head },
        fileByPerson: (record) => this.#fileByPerson(project, record),
      };
      this.#contexts.set(project, context);
    }
    return context;
  };

  #fileByPerson(project: Project, id: string): WrittenFile | undefined {
    const { collections, layout, options } = this.#engine;
    const directory = `${layout.projects}/${project.directory}`;
    const collection = collections.get(project.index.collectionOf(id) ?? '');
    return fileByPerson(options.disk, directory, project, collection, id);
  }
}
