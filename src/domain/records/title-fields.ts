/** The fields with the title of a record, by preference. */
export const titleFields = ['label', 'title', 'name', 'filename'] as const;
