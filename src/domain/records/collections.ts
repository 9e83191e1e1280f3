import { fileIdPattern, idPattern } from '../../base/ids.ts';
import { recordValidator } from '../../schema/validators.ts';
import type { ProjectRecord } from '../../schema/types.ts';
import type { Collection, Violation } from '../../store/index.ts';
import { projectViolations } from './project-fields.ts';
import { uncheckedCollections } from './record-collections.ts';

export type * from '../../schema/types.ts';
export { newRecord } from './declared.ts';
export { unfiled } from './record-collections.ts';
export type { PlannerCollections, PlanReadTransaction, PlanTransaction, VersionedName } from './declared.ts';

/** The validator of a definition of `schemas/`. */
export type ValidatorOf = (definition: string) => (value: unknown) => readonly Violation[];

/** Rules for records that a schema cannot express. */
const further: Readonly<Record<string, (record: never) => readonly Violation[]>> = {
  project: (record: ProjectRecord) => projectViolations(record),
};

/**
 * The declarations of a project's records for the store. A record from disk is validated by its definition (`TaskRecord` for `task`), by
 * rules that a schema cannot express, and for the form of its id.
 */
function plannerCollections(validatorOf: ValidatorOf): readonly Collection[] {
  return uncheckedCollections.map((collection) => {
    const validate = validatorOf(`${collection.name.charAt(0).toUpperCase()}${collection.name.slice(1)}Record`);
    return {
      ...collection,
      validate: (record: unknown) => {
        const violations = validate(record);
        if (violations.length > 0) return violations;
        const { id } = record as { readonly id: string };
        // Other tools write Markdown with ids of their own.
        const isFree = collection.shape.format === 'markdown';
        if (!(isFree ? fileIdPattern : idPattern).test(id))
          return [
            {
              field: 'id',
              message: `id must be 1 to 64 ${isFree ? 'visible characters' : 'letters, digits, _ or -'}.`,
            },
          ];
        return further[collection.name]?.(record as never) ?? violations;
      },
    };
  });
}

/** The collections, checked by the schemas. */
export const collections: readonly Collection[] = plannerCollections(recordValidator);
