const names: Readonly<Record<string, string>> = {
  goal_id: 'goal',
  folder_id: 'folder',
  due_date: 'due date',
  above: 'place',
  below: 'place',
  verification_surface: 'verification',
  last_verification: 'last verification',
  commit_refs: 'commits',
  add_tags: 'tags',
  remove_tags: 'tags',
  verified_at: 'verification',
  verified_ref: 'verification',
  archived_at: 'archive state',
  iteration_policy: 'iteration policy',
  stop_condition: 'stop condition',
};

/** The name of a field as the page has it. */
export function fieldName(field: string): string {
  return names[field] ?? field.replaceAll('_', ' ');
}

/** A name at the beginning of a line. */
export function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A message of the service about a field, with the field as the page names it: `commit_refs[0] must …` → `Commits, entry 1: must …`. */
export function withFieldName(message: string): string {
  return message.replace(
    /^([a-z]+(?:_[a-z]+)*)((?:\[\d+\])?) (?=(?:is|must|may|has) )/,
    (_, field: string, at: string) => {
      const name = fieldName(field);
      const entry = at === '' ? '' : `, entry ${Number(at.slice(1, -1)) + 1},`;
      return `${capitalised(name)}${entry} `;
    },
  );
}
