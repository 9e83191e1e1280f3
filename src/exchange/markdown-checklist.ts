import type { Heading, ListItem, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import type { FileFormat } from './plan-format.ts';

const tickBox = /^\[([ xX])\]\s+/;

export const markdownChecklist: FileFormat = {
  kind: 'file',
  name: 'markdown',
  offered: 'a Markdown file with checklists',
  places: [],
  detects: ({ path, text }) => /\.(md|markdown)$/i.test(path) && /^\s*(?:[-*+]|\d+[.)]) \[[ xX]\] \S/m.test(text),
  read: ({ text }, { name }) => readMarkdownChecklist(text, name),
};

/**
 * Reads the checklists of a Markdown file. Items with a tick box become tasks, nested ones parts of the item around them; the heading above
 * them is their goal, the text below the heading its objective. Text before the first heading describes the project.
 */
export function readMarkdownChecklist(text: string, name: string): ImportedPlan {
  return new Checklist(text, name).read();
}

interface Section {
  readonly name: string;
  readonly texts: string[];
  goal: string | undefined;
}

class Checklist {
  readonly #text: string;
  readonly #content: readonly RootContent[];
  readonly #plan: PlanBuilder;
  #section: Section = { name: '', texts: [], goal: undefined };
  readonly #sections: Section[] = [this.#section];

  constructor(text: string, name: string) {
    this.#text = text;
    this.#content = fromMarkdown(text).children;
    const [title] = this.#content;
    // A first heading of the first level is the name of the file's subject.
    this.#plan = new PlanBuilder('Markdown', title?.type === 'heading' && title.depth === 1 ? this.#line(title) : name);
  }

  read(): ImportedPlan {
    // Goals come before their tasks, with the texts around them.
    const tasks: (() => void)[] = [];
    for (const [at, node] of this.#content.entries()) {
      if (node.type === 'heading') {
        if (at > 0 || node.depth > 1) this.#begin(node);
      } else if (node.type === 'list' && node.children.some((item) => this.#hasBox(item))) {
        const section = this.#section;
        tasks.push(() => node.children.forEach((item) => this.#addItem(item, section, undefined, [])));
        section.goal ??= '';
      } else this.#section.texts.push(this.#source(node));
    }
    this.#addGoals();
    for (const add of tasks) add();
    return this.#plan.finish();
  }

  #begin(heading: Heading): void {
    this.#section = { name: this.#line(heading), texts: [], goal: undefined };
    this.#sections.push(this.#section);
  }

  #addGoals(): void {
    const [before, ...sections] = this.#sections;
    const about = [...before!.texts];
    before!.goal = undefined;
    for (const section of sections) {
      const objective = section.texts.join('\n\n');
      if (section.goal !== undefined)
        section.goal = this.#plan.goal({ name: section.name, objective, foreignId: section.name });
      else about.push(`## ${section.name}`, ...section.texts);
    }
    const described = about.filter((part) => part.trim() !== '').join('\n\n');
    if (described !== '') this.#plan.describe(described);
  }

  /** `around`: the items without a tick box that the item is in. */
  #addItem(item: ListItem, section: Section, whole: string | undefined, around: readonly string[]): void {
    const [first, ...more] = item.children;
    const text = first?.type === 'paragraph' ? this.#source(first) : '';
    const box = tickBox.exec(text);
    if (box === null) {
      const name = text === '' ? [] : [text.replace(/\s+/g, ' ')];
      if (!this.#hasBox(item)) this.#plan.leftOut({ of: 'item', reason: 'it has no tick box', where: name[0] ?? '-' });
      for (const node of item.children) {
        if (node.type === 'list')
          for (const one of node.children) this.#addItem(one, section, whole, [...around, ...name]);
      }
      return;
    }
    this.#plan.countSource('item');
    const lines = text.slice(box[0].length).split('\n');
    const nested = more.filter((node) => node.type === 'list' && node.children.some((one) => this.#hasBox(one)));
    const below = more.filter((node) => !nested.includes(node)).map((node) => this.#source(node));
    const label = lines[0]!.trim();
    const path = [section.name, ...around].filter((part) => part !== '');
    const task = this.#plan.task({
      ...{ label, status: box[1] === ' ' ? 'todo' : 'done', goal: section.goal },
      description: [lines.slice(1).join('\n'), ...below].filter((part) => part.trim() !== '').join('\n\n'),
      kept: { ...(around.length > 0 && { below: around.join(' / ') }) },
      foreignId: [...path, label].join(' / '),
    });
    if (whole !== undefined) this.#plan.part(task, whole, label);
    for (const node of nested)
      if (node.type === 'list') for (const one of node.children) this.#addItem(one, section, task, []);
  }

  /** Whether an item has a tick box, or one inside it has. */
  #hasBox(item: ListItem): boolean {
    const [first] = item.children;
    if (first?.type === 'paragraph' && tickBox.test(this.#source(first))) return true;
    return item.children.some((node) => node.type === 'list' && node.children.some((one) => this.#hasBox(one)));
  }

  /** The source of a node, its lines without the indentation that its place in lists gives them. */
  #source({ position }: RootContent): string {
    const indent = (position?.start.column ?? 1) - 1;
    const source = this.#text.slice(position?.start.offset, position?.end.offset);
    return source.replace(new RegExp(`\\n[ \\t]{0,${indent}}`, 'g'), '\n');
  }

  #line(heading: Heading): string {
    return this.#source(heading)
      .replace(/^#{1,6}\s+|\s+#+\s*$|\n[=-]+\s*$/g, '')
      .trim();
  }
}
