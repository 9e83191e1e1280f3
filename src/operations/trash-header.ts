/** The header of a deletion's response: the id of its entry in the trash. */
export const trashHeader = { 'X-Planner-Trash': 'trash_id' } as const;
