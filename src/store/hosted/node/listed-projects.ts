import type { ServiceCollectionSpec } from '../../replica/service-records.ts';
import { requireFree } from '../../record/project-name.ts';
import type { ServiceTx, ServiceReadTransaction } from '../../record/read-transaction.ts';
import type { StoredRecord } from '../../record/record.ts';

/** A project of the service, as its own log lists it. A project exists from the entry on that lists it. */
export interface ListedProject extends StoredRecord {
  readonly code: string;
  /** The name of its directory where it is kept as files. */
  readonly directory: string;
}

/** The service collection of all projects. */
export const listedProjectCollection = {
  name: 'listed_projects',
  placement: 'service',
  indexes: { code: ({ code }: ListedProject) => code },
} as const satisfies ServiceCollectionSpec;

const { name } = listedProjectCollection;

/** Throws `conflict` if a project has the code by now: two calls, or two nodes, may choose it at the same time. */
export function listProject(service: ServiceTx, project: Omit<ListedProject, 'updated_at'>): void {
  requireFree(project, (code) => service.by(name, 'code', code).length > 0);
  service.put<ListedProject>(name, { ...project, updated_at: project.created_at });
}

export function unlistProject(service: ServiceTx, id: string): void {
  service.remove(name, id);
}

export function listedProject(service: ServiceReadTransaction, id: string): ListedProject | undefined {
  return service.get<ListedProject>(name, id);
}

export function listedProjects(service: ServiceReadTransaction): readonly ListedProject[] {
  return [...service.list<ListedProject>(name)];
}
