import { notFound } from '../base/errors.ts';
import { skillPrompts } from './prompts.ts';

/** A skill: the request of a prompt, as a file that an agent reads when it fits. */
export interface SkillText {
  /** The path of its directory, the last part of which is its name. */
  readonly path: string;
  readonly uri: string;
  /** SKILL.md, with its front matter. */
  readonly text: string;
}

const bound = 'In a connected repository, leave project_id out. Else call list_projects once and pass project_id.';

/** The skills, one a prompt, with the same texts. */
export const skillTexts: readonly SkillText[] = skillPrompts().map(({ name, description, text }) => {
  const path = `planner/${name}`;
  const head = `---\nname: ${name}\ndescription: ${JSON.stringify(`${description} For plans in Planner.`)}\n---\n`;
  return { path, uri: `skill://${path}/SKILL.md`, text: `${head}\n${text}\n\n${bound}\n` };
});

/** The skill with a URI, or undefined. */
export function skillTextAt(uri: unknown): SkillText | undefined {
  return skillTexts.find((skill) => skill.uri === uri);
}

/** Returns whether a URI names a skill; skills are files of their own scheme. */
export function isSkillUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith('skill:');
}

/** The result of `resources/read` for a skill. Throws `not_found`. */
export function readSkill(uri: string): Readonly<Record<string, unknown>> {
  const skill = skillTextAt(uri);
  if (skill === undefined) throw notFound('resource', uri);
  return { contents: [{ uri, mimeType: 'text/markdown', text: skill.text }] };
}
